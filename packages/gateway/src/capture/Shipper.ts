/**
 * Takes records from a shelf into storage, in batches, the oldest first. While storage is down it waits; a record that storage
 * refuses while it is up is given up, counted and logged, and holds up no other.
 */
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"
import { callOf } from "./CallOf.ts"
import type { CallRecord, CaptureRecord, ShadowRecord } from "./CallRecord.ts"
import { CallStore, type Owned } from "./CallStore.ts"
import type { ShadowResult } from "./CapturedCall.ts"
import { Decoder } from "./Decoder.ts"
import type { Shelf } from "./Journal.ts"

export interface Shipper {
  /** Ships a batch, if anything waits; answers how many records that were. */
  readonly runOnce: Effect.Effect<number>
  /** Ships what comes, in batches. */
  readonly forever: Effect.Effect<never>
  /** Records that were given up. */
  readonly refused: () => number
}

type Records = ReadonlyArray<CaptureRecord>

const owned = <A>(partition: string, value: A): Owned<A> => ({ partition: Partition.fromKey(partition), value })

const shadowOf = ({ kind: _, partition, ...result }: ShadowRecord): Owned<ShadowResult> =>
  // The id was made by `Ids`, and came back from a journal at most.
  owned(partition, result as ShadowResult)

/** Of a failure, without what a database tells of the rows that it was given: they are somebody's words. */
const reasonOf = (cause: Cause.Cause<StorageError>): string => {
  const error = Cause.squash(cause)
  return error instanceof StorageError ? error.operation : "a defect"
}

/** Doubles, from `retryMillis` up to `retryMillisMax`. */
const waitMillis = (attempt: number): number =>
  Math.min(Limits.captureRetryMillisMax, Limits.captureRetryMillis * 2 ** Math.min(attempt, 16))

/** Each batch is stored before the next is taken. */
export const make = Effect.fnUntraced(function* (shelf: Shelf) {
  const store = yield* CallStore
  const storage = yield* Storage
  const decoder = yield* Decoder
  let refused = 0

  const append = Effect.fnUntraced(function* (records: Records) {
    const calls = records.filter((record): record is CallRecord => record.kind === "call")
    const shadows = records.filter((record): record is ShadowRecord => record.kind === "shadow")
    const captured = yield* Effect.forEach(calls, (record) =>
      Effect.map(Effect.provideService(callOf(record), Decoder, decoder), (call) => owned(record.partition, call))
    )
    if (captured.length > 0) yield* store.append(captured)
    if (shadows.length > 0) yield* store.appendShadows(shadows.map(shadowOf))
  })

  /** Whether storage was up when it failed. */
  const refusal = (cause: Cause.Cause<StorageError>) =>
    Effect.matchCause(Effect.timeout(storage.health, Limits.captureHealthMillis), {
      onFailure: () => undefined,
      onSuccess: () => cause
    })

  const giveUp = (record: CaptureRecord, cause: Cause.Cause<StorageError>) => {
    refused++
    const call = record.kind === "call" ? record.id : record.call
    const said = { call, reason: reasonOf(cause) }
    return Effect.annotateLogs(Effect.logError("a captured call cannot be stored, and was given up"), said)
  }

  /** `refusals`: how often storage, while it was up, has refused just these. */
  const keep = (records: Records, attempt = 0, refusals = 0): Effect.Effect<void> =>
    Effect.matchCauseEffect(append(records), {
      onSuccess: () => Effect.void,
      onFailure: (cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.interrupt : again(records, cause, attempt, refusals)
    })

  const again = Effect.fnUntraced(function* (
    records: Records,
    cause: Cause.Cause<StorageError>,
    attempt: number,
    refusals: number
  ): Effect.fn.Return<void> {
    if (attempt === 0)
      yield* Effect.annotateLogs(Effect.logWarning("captured calls wait for storage"), {
        reason: reasonOf(cause)
      })
    const refused = (yield* refusal(cause)) !== undefined
    const [first, ...others] = records
    if (refused && refusals + 1 >= Limits.captureRefusalsMax && first !== undefined) {
      if (others.length === 0) return yield* giveUp(first, cause)
      const middle = Math.ceil(records.length / 2)
      yield* keep(records.slice(0, middle), 1, 1)
      return yield* keep(records.slice(middle), 1, 1)
    }
    yield* Effect.sleep(waitMillis(attempt))
    yield* keep(records, attempt + 1, refused ? refusals + 1 : 0)
  })

  const batch = { records: Limits.captureBatchMax, bytes: Limits.captureBatchBytesMax }

  const runOnce = Effect.gen(function* () {
    const records = yield* shelf.next(batch)
    if (records.length === 0) return 0
    yield* keep(records)
    yield* shelf.shipped
    return records.length
  })

  /** A defect of a shelf, after which it is asked again. */
  const survived = (cause: Cause.Cause<never>) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.andThen(
          Effect.logError("captured calls could not be taken to storage", cause),
          Effect.sleep(Limits.captureRetryMillisMax)
        )

  const forever = Effect.forever(
    shelf
      .awaitWaiting(1)
      .pipe(
        Effect.andThen(Effect.timeoutOption(shelf.awaitWaiting(Limits.captureBatchMax), Limits.captureLingerMillis)),
        Effect.andThen(runOnce),
        Effect.catchCause(survived)
      )
  )

  const shipper: Shipper = { runOnce, forever, refused: () => refused }
  return shipper
})
