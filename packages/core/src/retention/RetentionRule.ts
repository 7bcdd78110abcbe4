/**
 * A retention rule: the rows to remove, and when. `RetentionWorker` applies the rules; docs/retention.md lists them.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../errors/Errors.ts"
import type { Millis } from "../time/Timestamp.ts"

/** `done`: until the next round. `more`: again at once. `later`: something is in the way, again after `retryMillis`. */
export type RetentionOutcome = "done" | "more" | "later"

export interface RetentionRule {
  /** The removed rows, in the plural: `captured calls`. Appears in log lines and in the table of docs/retention.md. */
  readonly name: string
  /** The server setting with the retention time; null if the code fixes it. */
  readonly setting: string | null
  /** From the start of the worker to the first round. */
  readonly delayMillis: number
  /** From the end of a round to the next. */
  readonly everyMillis: number
  readonly retryMillis: number
  /** Removes one batch of rows expired at `now`. Correctness never depends on the time of the call. */
  readonly removeBatch: (now: Millis) => Effect.Effect<RetentionOutcome, StorageError>
}

const tenMinutes = 600_000

/** Rows per call: a transaction of milliseconds. */
const batchMax = 1_000

/** A rule that removes rows every ten minutes. `remove` removes up to `limit` rows and returns how many. */
export const ofRows = ({
  name,
  remove,
  setting
}: Pick<RetentionRule, "name" | "setting"> & {
  readonly remove: (now: Millis, limit: number) => Effect.Effect<number, StorageError>
}): RetentionRule => ({
  name,
  setting,
  delayMillis: tenMinutes,
  everyMillis: tenMinutes,
  retryMillis: tenMinutes,
  removeBatch: (now) => Effect.map(remove(now, batchMax), (removed) => (removed < batchMax ? "done" : "more"))
})
