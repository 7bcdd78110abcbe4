/** The recorder: durable records go to the journal, others to a buffer; shippers move both to storage. */
import type { CallHolds } from "@limbeck/billing/calls/CallHolds"
import type { TokenUses } from "@limbeck/billing/limits/TokenUses"
import type { Queue } from "@limbeck/core/queue/Queue"
import { NotYet, retryUntilReady } from "@limbeck/core/storage/NotYet"
import type { Storage } from "@limbeck/core/storage/Storage"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CaptureRecord } from "../call/CallRecord.ts"
import type { CallStore } from "../call/CallStore.ts"
import type { Decoder } from "../call/Decoder.ts"
import { CaptureLimits } from "../Limits.ts"
import * as MemoryShelf from "./internal/MemoryShelf.ts"
import * as Shipper from "./internal/Shipper.ts"
import { Journal, type Shelf } from "./Journal.ts"
import { Recorder } from "./Recorder.ts"

const bound = { records: CaptureLimits.captureBufferMax, bytes: CaptureLimits.captureBufferBytesMax }

/** Ships the remaining records within the time. */
const flush = Effect.fnUntraced(function* (shelf: Shelf, { runOnce }: Shipper.Shipper, millis: number) {
  const rest = Effect.repeat(runOnce, { until: (count) => count === 0 })
  yield* Effect.timeoutOption(rest, millis)
  const { waiting } = yield* shelf.figures
  if (waiting > 0) yield* Effect.annotateLogs(Effect.logWarning("captured_calls_left"), { calls: waiting })
})

/** Waits until the shipper has shipped the records that the shelf holds now. */
const settle = Effect.fnUntraced(function* (shelf: Shelf, { settledCount }: Shipper.Shipper) {
  const last = settledCount() + (yield* shelf.figures).waiting
  const look = Effect.suspend(() => (settledCount() >= last ? Effect.void : Effect.fail(new NotYet(undefined))))
  yield* Effect.ignore(retryUntilReady(look))
})

const make = Effect.gen(function* () {
  const journal = yield* Journal
  const buffer = MemoryShelf.make(bound)
  const shelves = journal === null ? [buffer] : [buffer, journal]
  const lines = yield* Effect.forEach(shelves, (shelf) =>
    Effect.map(Shipper.make(shelf), (shipper) => ({ shelf, shipper }))
  )
  const millisOf = (shelf: Shelf) =>
    shelf === journal ? CaptureLimits.journalFlushMillis : CaptureLimits.bufferFlushMillis
  const all = { concurrency: "unbounded", discard: true } as const
  // Registered before the loops are forked, so that it runs after their end.
  yield* Effect.addFinalizer(() =>
    Effect.forEach(lines, ({ shelf, shipper }) => flush(shelf, shipper, millisOf(shelf)), all)
  )
  for (const { shipper } of lines) yield* Effect.forkScoped(shipper.forever)

  let isCutting = false
  const judged = (record: CaptureRecord): CaptureRecord =>
    isCutting && record.kind === "call" && record.outcome === "aborted" ? { ...record, outcome: "failed" } : record

  return Recorder.of({
    record: (record, durability) =>
      Effect.suspend(() => (durability === "journal" && journal !== null ? journal : buffer).put(judged(record))),
    cut: Effect.sync(() => {
      isCutting = true
    }),
    settle: Effect.forEach(lines, ({ shelf, shipper }) => settle(shelf, shipper), all),
    figures: Effect.map(
      Effect.forEach(shelves, ({ figures }) => figures),
      (all) => ({
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
        dropped:
          all.reduce((sum, { dropped }) => sum + dropped, 0) +
          lines.reduce((sum, { shipper }) => sum + shipper.refusedCount(), 0),
        trouble: all.find(({ trouble }) => trouble !== null)?.trouble ?? null
      })
    )
  })
})

export const layer: Layer.Layer<
  Recorder,
  never,
  Storage | CallStore | CallHolds | TokenUses | Decoder | Digest | Queue
> = Layer.effect(Recorder, make)
