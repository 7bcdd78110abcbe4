/**
 * Slots of one process for which workspaces' fibers wait in turns: a free slot goes to the workspace with the fewest slots
 * whose share (see `Shares`) has room, and among equals to the one whose last slot, or arrival, is oldest.
 *
 *     join ──▶ waiting ── its turn ──▶ a slot ──▶ ended: the slot goes to the next
 *                 └── interrupted ──▶ left
 *
 * Invariant: no fiber waits while its workspace's share has room.
 */
import * as Effect from "effect/Effect"
import type { WorkspaceId } from "../ids/Id.ts"
import type { Pool } from "./Pools.ts"
import { Shares } from "./Shares.ts"

export interface FairSlots {
  /** Runs the effect in a slot of the workspace, after waiting for a free one. */
  readonly run: <A, E, R>(workspace: WorkspaceId, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Ticket {
  readonly workspace: WorkspaceId
  hasSlot: boolean
  /** Resumes the fiber that waits. */
  resume: () => void
}

class Line {
  private readonly shares: Shares<WorkspaceId>
  /** Tickets without a slot, in the order of the turns. */
  private readonly waiting = new Map<WorkspaceId, Set<Ticket>>()

  constructor(size: number) {
    this.shares = new Shares(size)
  }

  join(workspace: WorkspaceId): Ticket {
    const ticket = { workspace, hasSlot: false, resume: () => {} }
    const tickets = this.waiting.get(workspace)
    if (tickets === undefined) this.waiting.set(workspace, new Set([ticket]))
    else tickets.add(ticket)
    this.move()
    return ticket
  }

  /** Gives the slot of the ticket to the next, or takes the ticket out of the line. */
  leave(ticket: Ticket): void {
    if (ticket.hasSlot) {
      this.shares.give(ticket.workspace)
      this.move()
    } else this.remove(ticket)
  }

  private remove(ticket: Ticket): void {
    const tickets = this.waiting.get(ticket.workspace)
    tickets?.delete(ticket)
    if (tickets?.size === 0) this.waiting.delete(ticket.workspace)
  }

  private next(): Ticket | undefined {
    let next: WorkspaceId | undefined
    for (const workspace of this.waiting.keys()) {
      if (!this.shares.fits(workspace)) continue
      if (next === undefined || this.shares.of(workspace) < this.shares.of(next)) next = workspace
    }
    const [ticket] = (next === undefined ? undefined : this.waiting.get(next)) ?? []
    return ticket
  }

  private move(): void {
    for (let ticket = this.next(); ticket !== undefined; ticket = this.next()) {
      const { workspace } = ticket
      this.remove(ticket)
      const others = this.waiting.get(workspace)
      // The workspace moves to the end of the turns.
      if (others !== undefined && this.waiting.delete(workspace)) this.waiting.set(workspace, others)
      this.shares.take(workspace)
      ticket.hasSlot = true
      ticket.resume()
    }
  }
}

/** Ends when the ticket has a slot. */
const turnOf = (ticket: Ticket): Effect.Effect<void> =>
  Effect.suspend(() =>
    ticket.hasSlot
      ? Effect.void
      : Effect.callback<void>((resume) => {
          // Not within the fiber that gives its slot away.
          ticket.resume = () => resume(Effect.yieldNow)
        })
  )

export const make = ({ size }: Pool): FairSlots => {
  const line = new Line(size)
  return {
    run: (workspace, effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const ticket = line.join(workspace)
          return Effect.ensuring(
            restore(Effect.andThen(turnOf(ticket), effect)),
            Effect.sync(() => line.leave(ticket))
          )
        })
      )
  }
}
