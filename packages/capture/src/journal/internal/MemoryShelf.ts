/** Records in memory, bounded in number and bytes: a full shelf drops and counts new records. */
import * as Effect from "effect/Effect"
import type { CaptureRecord } from "../../call/CallRecord.ts"
import { sizeOf } from "../../call/RecordCodec.ts"
import type { BatchMax, Shelf } from "../Journal.ts"
import { WaitingRecords } from "../WaitingRecords.ts"

/** How many of the oldest make a batch; one at least, where there are any. */
const batchLength = (sizes: ReadonlyArray<number>, max: BatchMax): number => {
  let length = 0
  let bytes = 0
  for (const size of sizes) {
    bytes += size
    if (length > 0 && (length >= max.records || bytes > max.bytes)) break
    length++
  }
  return length
}

export const make = (bound: BatchMax): Shelf => {
  const waiting = new WaitingRecords()
  let records: Array<CaptureRecord> = []
  let bytes = 0
  let dropped = 0
  let isFull = false
  let taken = 0

  const put = (record: CaptureRecord) => {
    const size = sizeOf(record)
    isFull = records.length >= bound.records || bytes + size > bound.bytes
    if (isFull) {
      dropped++
      return
    }
    records.push(record)
    bytes += size
    waiting.add(1)
  }

  return {
    put: (record) => Effect.sync(() => put(record)),
    next: (max) =>
      Effect.sync(() => {
        taken = batchLength(records.slice(0, max.records).map(sizeOf), max)
        return records.slice(0, taken)
      }),
    acknowledge: Effect.sync(() => {
      for (const record of records.slice(0, taken)) bytes -= sizeOf(record)
      records = records.slice(taken)
      waiting.remove(taken)
      taken = 0
      isFull = false
    }),
    awaitWaiting: (count) => waiting.awaitCount(count),
    figures: Effect.sync(() => ({
      waiting: waiting.count,
      dropped,
      trouble: isFull ? "The buffer of captured calls is full" : null
    }))
  }
}
