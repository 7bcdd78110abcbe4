/** The deliveries and attempts of one endpoint, and how many of which, counted as they change. */
import { type Attempt, type Delivery, isSuccess } from "@limbeck/webhooks/delivery/Delivery"
import { isSettled } from "@limbeck/webhooks/delivery/DeliveryMachine"
import type { DeliveryStats } from "@limbeck/webhooks/delivery/DeliveryStore"
import type { Journal } from "./MemoryDatabase.ts"
import { byString } from "./SortedSet.ts"
import { Index } from "./Table.ts"

/** Attempts are ordered by their start. */
export class EndpointRows {
  readonly ids = new Index<string>(byString)
  readonly dead = new Index<string>(byString)
  readonly attempts = new Index<Attempt>((a, b) => a.startedAt - b.startedAt || byString(a.id, b.id))
  private pending = 0
  private deadLettered = 0

  count(journal: Journal, { id, status }: Delivery, by: 1 | -1): void {
    const isDead = status === "dead_lettered"
    const pending = isSettled(status) ? 0 : by
    const deadLettered = isDead ? by : 0
    this.pending += pending
    this.deadLettered += deadLettered
    journal.undo(() => {
      this.pending -= pending
      this.deadLettered -= deadLettered
    })
    if (isDead && by === 1) this.dead.add(journal, id)
    if (isDead && by === -1) this.dead.delete(journal, id)
  }

  stats(since: number): DeliveryStats {
    let attempts = 0
    let succeeded = 0
    for (const attempt of this.attempts.descending(null)) {
      if (attempt.startedAt < since) break
      attempts += 1
      if (isSuccess(attempt.result)) succeeded += 1
    }
    return { attempts, succeeded, pending: this.pending, deadLettered: this.deadLettered }
  }

  hasFailedSince(since: number): boolean {
    for (const attempt of this.attempts.descending(null)) {
      if (isSuccess(attempt.result)) return false
      if (attempt.startedAt < since) return true
    }
    return false
  }
}
