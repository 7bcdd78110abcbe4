/**
 * Moves records from a shelf to storage, in batches, oldest first.
 *
 *     batch ─▶ part ── append ── stored ─────────────▶ the next part, or the next batch
 *               ▲         ├── storage is away ──▶ wait, and append the same part again
 *               │         └── a record is unfit
 *               │                  ├── one of several ──▶ halves, the older first
 *               └──────────────────┘        └── the only one ──▶ given up, counted and logged
 *
 * Invariants: a record is dropped only after a refusal of it alone; an outage drops none; no record blocks the others.
 */
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Cause from "effect/Cause"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { callOf } from "../../call/CallOf.ts"
import type { CallRecord, CaptureRecord, ShadowRecord } from "../../call/CallRecord.ts"
import { CallStore, type InPartition, RecordRefused, verificationTopic } from "../../call/CallStore.ts"
import type { ShadowResult } from "../../call/CapturedCall.ts"
import { Decoder } from "../../call/Decoder.ts"
import { CaptureLimits } from "../../Limits.ts"
import type { Shelf } from "../Journal.ts"
import * as CallCharges from "./CallCharges.ts"
import * as CallMeter from "./CallMeter.ts"

export interface Shipper {
  /** Ships a batch, if anything waits; returns how many records it had. */
  readonly runOnce: Effect.Effect<number>
  /** Ships what comes, in batches. */
  readonly forever: Effect.Effect<never>
  /** Records that were given up. */
  readonly refusedCount: () => number
  /** Records that left the shelf: stored or given up. */
  readonly settledCount: () => number
}

type Records = ReadonlyArray<CaptureRecord>

const owned = <A>(partition: string, value: A): InPartition<A> => ({ partition: Partition.fromKey(partition), value })

const shadowOf = ({
  answer = null,
  kind: _,
  partition,
  verifies = false,
  ...result
}: ShadowRecord): InPartition<ShadowResult> =>
  // The id was made by `Ids`, and came back from a journal at most.
  owned(partition, { ...result, answer, verifies } as ShadowResult)

type Failure = Cause.Cause<RecordRefused | StorageError>

/** The reason of a failure, without database messages about rows: they may contain users' text. */
const reasonOf = (cause: Failure): string => {
  const error = Cause.squash(cause)
  if (error instanceof RecordRefused) return error.reason
  return error instanceof StorageError ? error.operation : "a defect"
}

/** Whether the records are at fault: storage refused them, or decoding met a defect of ours. */
const isOfRecords = (cause: Failure): boolean => !(Cause.squash(cause) instanceof StorageError)

/** Doubles, from `captureRetryMillis` up to `captureRetryMillisMax`. */
const waitMillis = (attempt: number): number =>
  Math.min(CaptureLimits.captureRetryMillisMax, CaptureLimits.captureRetryMillis * 2 ** Math.min(attempt, 16))

/** Writes spans for the storage of traced calls. */
const writeSpans = (calls: ReadonlyArray<CallRecord>) => {
  const traced = calls.flatMap(({ id, traceparent }) => (traceparent === undefined ? [] : [{ id, traceparent }]))
  return Effect.forEach(
    traced,
    ({ id, traceparent }) =>
      Trace.continueTrace(traceparent, "capture.store", { attributes: { "limbeck.call.id": id } })(Effect.void),
    { discard: true }
  )
}

const captured = (calls: ReadonlyArray<CallRecord>) =>
  Effect.forEach(calls, (record) => Effect.map(callOf(record), (call) => ({ record, call })))

/** Stores each batch before taking the next. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps of one loop, each short
export const make = Effect.fnUntraced(function* (shelf: Shelf) {
  const store = yield* CallStore
  const queue = yield* Queue
  const charges = yield* CallCharges.make
  const decoder = yield* Decoder
  const digest = yield* Digest
  const meter = CallMeter.make()
  let refused = 0
  let settled = 0

  const append = Effect.fnUntraced(function* (records: Records) {
    const calls = records.filter((record): record is CallRecord => record.kind === "call")
    const shadows = records.filter((record): record is ShadowRecord => record.kind === "shadow")
    if (calls.length > 0) {
      const stored = yield* captured(calls).pipe(
        Effect.provideService(Decoder, decoder),
        Effect.provideService(Digest, digest)
      )
      yield* charges.append(stored)
      yield* meter(stored.flatMap(({ call, record }) => (record.isCaptured === false ? [] : [call])))
      yield* writeSpans(calls)
    }
    if (shadows.length > 0) yield* store.appendShadows(shadows.map(shadowOf))
    if (shadows.some(({ verifies = false }) => verifies)) yield* queue.nudge(verificationTopic)
  })

  const giveUp = (record: CaptureRecord, cause: Failure) => {
    refused++
    const call = record.kind === "call" ? record.id : record.call
    const log = Effect.annotateLogs(Effect.logError("captured_call_refused"), {
      call,
      reason: reasonOf(cause)
    })
    return record.kind === "call" ? Effect.andThen(charges.free([record]), log) : log
  }

  /** Appends, with retries while storage is away. Null: stored; otherwise the reason for the refusal. */
  const refusalOf = Effect.fnUntraced(function* (records: Records): Effect.fn.Return<Failure | null> {
    for (let attempt = 0; ; attempt++) {
      const exit = yield* Effect.exit(append(records))
      if (Exit.isSuccess(exit)) return null
      const { cause } = exit
      if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
      if (isOfRecords(cause)) return cause
      if (attempt === 0) {
        const reason = reasonOf(cause)
        yield* Effect.annotateLogs(Effect.logWarning("captured_calls_waiting"), { reason })
      }
      yield* Effect.sleep(waitMillis(attempt))
    }
  })

  /** Each record is stored or given up when this ends. */
  const keep = Effect.fnUntraced(function* (records: Records) {
    const parts = [records]
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const refusal = yield* refusalOf(part)
      if (refusal === null) continue
      const [first, ...others] = part
      const middle = Math.ceil(part.length / 2)
      if (others.length > 0) parts.unshift(part.slice(0, middle), part.slice(middle))
      else if (first !== undefined) yield* giveUp(first, refusal)
    }
  })

  const batch = { records: CaptureLimits.captureBatchMax, bytes: CaptureLimits.captureBatchBytesMax }

  const runOnce = Effect.gen(function* () {
    const records = yield* shelf.next(batch)
    if (records.length === 0) return 0
    yield* keep(records)
    yield* shelf.acknowledge
    settled += records.length
    return records.length
  })

  /** Continues after a defect of a shelf. */
  const survived = (cause: Cause.Cause<never>) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.andThen(
          Effect.logError("captured_calls_not_shipped", cause),
          Effect.sleep(CaptureLimits.captureRetryMillisMax)
        )

  const forever = Effect.forever(
    shelf
      .awaitWaiting(1)
      .pipe(
        Effect.andThen(
          Effect.timeoutOption(shelf.awaitWaiting(CaptureLimits.captureBatchMax), CaptureLimits.captureLingerMillis)
        ),
        Effect.andThen(runOnce),
        Effect.catchCause(survived)
      )
  )

  const shipper: Shipper = { runOnce, forever, refusedCount: () => refused, settledCount: () => settled }
  return shipper
})
