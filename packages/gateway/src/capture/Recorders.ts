/** The recorder: what is to be durable goes to the journal, the rest to a buffer; from both it is shipped to storage. */
import type { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../Limits.ts"
import type { CallStore } from "./CallStore.ts"
import type { Decoder } from "./Decoder.ts"
import { Journal, type Shelf } from "./Journal.ts"
import * as MemoryShelf from "./MemoryShelf.ts"
import { Recorder } from "./Recorder.ts"
import * as Shipper from "./Shipper.ts"

const bound = { records: Limits.captureBufferMax, bytes: Limits.captureBufferBytesMax }

/** Ships what is left, as far as there is time for it. */
const flush = Effect.fnUntraced(function* (shelf: Shelf, { runOnce }: Shipper.Shipper) {
  const rest = Effect.repeat(runOnce, { until: (count) => count === 0 })
  yield* Effect.timeoutOption(rest, Limits.captureFlushMillis)
  const { waiting } = yield* shelf.figures
  if (waiting > 0) yield* Effect.logWarning(`${waiting} captured calls are not in storage yet`)
})

const make = Effect.gen(function* () {
  const journal = yield* Journal
  const buffer = MemoryShelf.make(bound)
  const shelves = journal === null ? [buffer] : [buffer, journal]
  const lines = yield* Effect.forEach(shelves, (shelf) =>
    Effect.map(Shipper.make(shelf), (shipper) => ({ shelf, shipper }))
  )
  const all = { concurrency: "unbounded", discard: true } as const
  // Registered before the loops are forked, so that it runs when they have ended.
  yield* Effect.addFinalizer(() => Effect.forEach(lines, ({ shelf, shipper }) => flush(shelf, shipper), all))
  for (const { shipper } of lines) yield* Effect.forkScoped(shipper.forever)

  return Recorder.of({
    record: (record, durability) => (durability === "journal" && journal !== null ? journal : buffer).put(record),
    figures: Effect.map(
      Effect.forEach(shelves, ({ figures }) => figures),
      (all) => ({
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
        dropped:
          all.reduce((sum, { dropped }) => sum + dropped, 0) +
          lines.reduce((sum, { shipper }) => sum + shipper.refused(), 0),
        trouble: all.find(({ trouble }) => trouble !== null)?.trouble ?? null
      })
    )
  })
})

export const layer: Layer.Layer<Recorder, never, CallStore | Storage | Decoder> = Layer.effect(Recorder, make)
