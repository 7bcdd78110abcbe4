/** The deliveries and attempts of one endpoint, with counts by status that are updated on each change. */
import { type Attempt, type Delivery, isSuccess } from "@limbeck/webhooks/delivery/Delivery"
import { isSettled } from "@limbeck/webhooks/delivery/DeliveryMachine"
import type { DeliveryStats } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Iterable from "effect/Iterable"
import * as Option from "effect/Option"
import type { UndoLog } from "../database/MemoryDatabase.ts"
import { byString } from "../database/SortedSet.ts"
import { Index } from "../database/Table.ts"

/** The start of an attempt. The empty id sorts before every attempt of the same time. */
interface Start {
  readonly id: string
  readonly startedAt: number
}

const byStart = (a: Start, b: Start) => a.startedAt - b.startedAt || byString(a.id, b.id)

const startAt = (startedAt: number): Start => ({ id: "", startedAt })

export class EndpointRows {
  readonly ids = new Index<string>(byString)
  readonly dead = new Index<string>(byString)
  private readonly succeeded = new Index<Start>(byStart)
  private readonly failed = new Index<Start>(byStart)
  private pending = 0
  private deadLettered = 0

  count(undoLog: UndoLog, { id, status }: Delivery, by: 1 | -1): void {
    const isDead = status === "dead_lettered"
    const pending = isSettled(status) ? 0 : by
    const deadLettered = isDead ? by : 0
    this.pending += pending
    this.deadLettered += deadLettered
    undoLog.undo(() => {
      this.pending -= pending
      this.deadLettered -= deadLettered
    })
    if (isDead && by === 1) this.dead.add(undoLog, id)
    if (isDead && by === -1) this.dead.delete(undoLog, id)
  }

  addAttempt(undoLog: UndoLog, attempt: Attempt): void {
    this.attemptsLike(attempt).add(undoLog, attempt)
  }

  deleteAttempt(undoLog: UndoLog, attempt: Attempt): void {
    this.attemptsLike(attempt).delete(undoLog, attempt)
  }

  stats(since: number): DeliveryStats {
    const succeeded = this.succeeded.sizeFrom(startAt(since))
    const attempts = succeeded + this.failed.sizeFrom(startAt(since))
    return { attempts, succeeded, pending: this.pending, deadLettered: this.deadLettered }
  }

  hasFailedSince(since: number): boolean {
    const lastBefore = (attempts: Index<Start>) => Iterable.head(attempts.descending(startAt(since)))
    const [failure, success] = [lastBefore(this.failed), lastBefore(this.succeeded)]
    return (
      this.succeeded.sizeFrom(startAt(since)) === 0 &&
      Option.isSome(failure) &&
      (Option.isNone(success) || failure.value.startedAt > success.value.startedAt)
    )
  }

  private attemptsLike({ result }: Attempt): Index<Start> {
    return isSuccess(result) ? this.succeeded : this.failed
  }
}
