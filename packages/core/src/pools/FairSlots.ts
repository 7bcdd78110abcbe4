/**
 * Slots of one process for which workspaces' fibers wait in turns: a free slot goes to the workspace with the fewest slots
 * whose share (see `Shares`) has room, and among equals to the one whose last slot, or arrival, is oldest. The queues of a
 * workspace take its slots by the same rule.
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
  /** Runs the effect in a slot of the workspace, after waiting for a free one in one of its queues; by default all wait in one. */
  readonly run: <A, E, R>(
    workspace: WorkspaceId,
    effect: Effect.Effect<A, E, R>,
    queue?: string
  ) => Effect.Effect<A, E, R>
}

interface Ticket {
  readonly workspace: WorkspaceId
  readonly queue: string
  hasSlot: boolean
  /** Resumes the fiber that waits. */
  resume: () => void
}

/** The key with the least count, and of equals the first one. */
const leastOf = <Key>(keys: Iterable<Key>, countOf: (key: Key) => number): Key | undefined => {
  let least: Key | undefined
  for (const key of keys) if (least === undefined || countOf(key) < countOf(least)) least = key
  return least
}

/** The key moves to the end of the map's order. */
const moveToEnd = <Key, Value>(map: Map<Key, Value>, key: Key): void => {
  const value = map.get(key)
  if (value !== undefined && map.delete(key)) map.set(key, value)
}

class Line {
  private readonly shares: Shares<WorkspaceId>
  /** Slots by workspace and queue. */
  private readonly held = new Map<string, number>()
  /** Tickets without a slot, by workspace and queue, both in the order of the turns. */
  private readonly waiting = new Map<WorkspaceId, Map<string, Set<Ticket>>>()

  constructor(size: number) {
    this.shares = new Shares(size)
  }

  join(workspace: WorkspaceId, queue: string): Ticket {
    const ticket = { workspace, queue, hasSlot: false, resume: () => {} }
    const queues = this.waiting.get(workspace) ?? new Map<string, Set<Ticket>>()
    this.waiting.set(workspace, queues)
    const tickets = queues.get(queue) ?? new Set<Ticket>()
    queues.set(queue, tickets.add(ticket))
    this.move()
    return ticket
  }

  /** Ids hold no space. */
  private heldBy(workspace: WorkspaceId, queue: string): number {
    return this.held.get(`${workspace} ${queue}`) ?? 0
  }

  private hold({ queue, workspace }: Ticket, by: 1 | -1): void {
    const count = this.heldBy(workspace, queue) + by
    if (count === 0) this.held.delete(`${workspace} ${queue}`)
    else this.held.set(`${workspace} ${queue}`, count)
  }

  /** Gives the slot of the ticket to the next, or takes the ticket out of the line. */
  leave(ticket: Ticket): void {
    if (ticket.hasSlot) {
      this.shares.give(ticket.workspace)
      this.hold(ticket, -1)
      this.move()
    } else this.remove(ticket)
  }

  private remove(ticket: Ticket): void {
    const queues = this.waiting.get(ticket.workspace)
    const tickets = queues?.get(ticket.queue)
    tickets?.delete(ticket)
    if (tickets?.size === 0) queues?.delete(ticket.queue)
    if (queues?.size === 0) this.waiting.delete(ticket.workspace)
  }

  private next(): Ticket | undefined {
    const withRoom = [...this.waiting.keys()].filter((workspace) => this.shares.fits(workspace))
    const workspace = leastOf(withRoom, (one) => this.shares.of(one))
    const queues = workspace === undefined ? undefined : this.waiting.get(workspace)
    if (workspace === undefined || queues === undefined) return undefined
    const queue = leastOf(queues.keys(), (one) => this.heldBy(workspace, one))
    const [ticket] = (queue === undefined ? undefined : queues.get(queue)) ?? []
    return ticket
  }

  private move(): void {
    for (let ticket = this.next(); ticket !== undefined; ticket = this.next()) {
      const { queue, workspace } = ticket
      this.remove(ticket)
      moveToEnd(this.waiting.get(workspace) ?? new Map(), queue)
      moveToEnd(this.waiting, workspace)
      this.shares.take(workspace)
      this.hold(ticket, 1)
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
    run: (workspace, effect, queue = "") =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const ticket = line.join(workspace, queue)
          return Effect.ensuring(
            restore(Effect.andThen(turnOf(ticket), effect)),
            Effect.sync(() => line.leave(ticket))
          )
        })
      )
  }
}
