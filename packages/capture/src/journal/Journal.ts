/** Holds records until they are in storage. A durable shelf is a journal; an assembly has at most one. */
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
   * Always succeeds, when the shelf has secured the record or counted a dropped record. Returns at once for a shadow
   * result: no caller waits, and the shelf secures the result a moment later.
   */
  readonly put: (record: CaptureRecord) => Effect.Effect<void>
  /** The oldest that were not shipped; at least one where there are any. The same again until `acknowledge`. */
  readonly next: (max: BatchMax) => Effect.Effect<ReadonlyArray<CaptureRecord>>
  /** What `next` answered last need not be kept any more. */
  readonly acknowledge: Effect.Effect<void>
  /** Until so many records wait to be shipped. */
  readonly awaitWaiting: (records: number) => Effect.Effect<void>
  readonly figures: Effect.Effect<RecorderFigures>
}

/** Promises more: what `put` took is there again after a kill, in this process or in the next that has the same folder. */
export class Journal extends Context.Reference<Shelf | null>("@limbeck/capture/journal/Journal", {
  defaultValue: () => null
}) {}
