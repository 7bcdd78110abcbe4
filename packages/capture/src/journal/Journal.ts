/** Where records wait until they are in storage. One that is durable is a journal; an assembly has one, or none. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CaptureRecord } from "../call/CallRecord.ts"
import type { RecorderFigures } from "./Recorder.ts"

export interface BatchMax {
  readonly records: number
  readonly bytes: number
}

export interface Shelf {
  /**
   * Succeeds, always: when the record is kept as well as this shelf keeps, or is counted as dropped. For a shadow result at
   * once, because nobody waits for it: it is kept as well a moment later.
   */
  readonly put: (record: CaptureRecord) => Effect.Effect<void>
  /** The oldest that were not shipped; at least one where there are any. The same again until `shipped`. */
  readonly next: (max: BatchMax) => Effect.Effect<ReadonlyArray<CaptureRecord>>
  /** What `next` answered last need not be kept any more. */
  readonly shipped: Effect.Effect<void>
  /** Until so many records wait to be shipped. */
  readonly awaitWaiting: (records: number) => Effect.Effect<void>
  readonly figures: Effect.Effect<RecorderFigures>
}

/** Promises more: what `put` took is there again after a kill, in this process or in the next that has the same folder. */
export class Journal extends Context.Reference<Shelf | null>("@limbeck/capture/journal/Journal", {
  defaultValue: () => null
}) {}
