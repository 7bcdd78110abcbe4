/**
 * The calls that this server admits for one workspace, and its hold for them.
 *
 *     let through ── `reserve` ──▶ under way ── `end` ──▶ on its way to storage ── stored: `spend`, `drop` ──▶ gone
 *                                     │                          └── its record was lost: `forget` ──────────▶ gone
 *                                     └── leaves no record: `drop` ─────────────────────────────────────────▶ gone
 *
 * Invariants: 1. `reserved` is the sum of the calls' maximum costs; 2. the lane admits a call only while `left - reserved`
 * covers its cost; 3. `left` never exceeds the uncharged rest of the hold in storage, except between a commit and `spend`,
 * while the call's own share is still reserved.
 */
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Semaphore from "effect/Semaphore"
import type { CallShare } from "../CallHold.ts"

interface Ticket extends CallShare {
  endedAt: Millis | null
}

export class Lane {
  readonly partition: Partition
  /** Who takes more, renews or closes the hold takes turns. */
  readonly turn = Semaphore.makeUnsafe(1)
  /** Null: there is none, or it has expired. */
  hold: string | null = null
  usedAt: Millis = 0
  /** Calls being admitted now. */
  entering = 0
  /** The balance at the last refusal, and how long the refusal stays cached. */
  refused: { readonly availableMicros: number; readonly until: Millis } | null = null
  private left = 0
  private reserved = 0
  private readonly tickets = new Map<string, Ticket>()

  constructor(partition: Partition) {
    this.partition = partition
  }

  /** How much is missing to let this call through. */
  shortfall(micros: number): number {
    return Math.max(0, micros - (this.left - this.reserved))
  }

  /** No call needs it. */
  get isIdle(): boolean {
    return this.tickets.size === 0 && this.entering === 0
  }

  /** `hold` has reserved `micros` more of the balance. */
  took(hold: string, micros: number): void {
    // A new hold does not inherit the rest of an old one.
    if (this.hold !== hold) this.left = 0
    this.hold = hold
    this.left += micros
    this.refused = null
  }

  /** The hold is no longer this server's. */
  lose(): void {
    this.hold = null
    this.left = 0
  }

  reserve(call: string, micros: number, hold: string, now: Millis): void {
    this.drop(call)
    this.usedAt = now
    this.reserved += micros
    this.tickets.set(call, { micros, hold, endedAt: null })
  }

  /** What was put aside for the call; null where nothing was. */
  end(call: string, now: Millis): CallShare | null {
    const ticket = this.tickets.get(call)
    if (ticket === undefined) return null
    ticket.endedAt = now
    return ticket
  }

  drop(call: string): void {
    this.reserved -= this.tickets.get(call)?.micros ?? 0
    this.tickets.delete(call)
  }

  spend(hold: string, micros: number): void {
    if (hold === this.hold) this.left -= micros
  }

  /** Drops calls that ended long ago and never reached storage: their records were lost. */
  forget(endedBefore: Millis): void {
    for (const [call, { endedAt }] of this.tickets) if (endedAt !== null && endedAt < endedBefore) this.drop(call)
  }
}
