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

/** Ships all the time; at the end of the scope what is left, as far as there is time for it. */
const shipping = Effect.fnUntraced(function* (shelf: Shelf) {
  const shipper = yield* Shipper.make(shelf)
  const rest = Effect.repeat(shipper.runOnce, { until: (count) => count === 0 })
  const last = Effect.gen(function* () {
    yield* Effect.timeoutOption(rest, Limits.captureFlushMillis)
    const { waiting } = yield* shelf.figures
    if (waiting > 0) yield* Effect.logWarning(`${waiting} captured calls are not in storage yet`)
  })
  yield* Effect.addFinalizer(() => last)
  yield* Effect.forkScoped(shipper.forever)
  return shipper
})

const make = Effect.gen(function* () {
  const journal = yield* Journal
  const buffer = MemoryShelf.make(bound)
  const shelves = journal === null ? [buffer] : [buffer, journal]
  const shippers = yield* Effect.forEach(shelves, shipping)

  return Recorder.of({
    record: (record, durability) => (durability === "journal" && journal !== null ? journal : buffer).put(record),
    figures: Effect.map(
      Effect.forEach(shelves, ({ figures }) => figures),
      (all) => ({
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
        dropped:
          all.reduce((sum, { dropped }) => sum + dropped, 0) +
          shippers.reduce((sum, { refused }) => sum + refused(), 0),
        trouble: all.find(({ trouble }) => trouble !== null)?.trouble ?? null
      })
    )
  })
})

export const layer: Layer.Layer<Recorder, never, CallStore | Storage | Decoder> = Layer.effect(Recorder, make)
