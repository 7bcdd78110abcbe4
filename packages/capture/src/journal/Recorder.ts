/** Takes what the hot path writes down, and gets it to storage. A trouble of its own never reaches the call. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CaptureRecord } from "../call/CallRecord.ts"
import type { Durability } from "../source/Source.ts"

export interface RecorderFigures {
  /** Records that are kept here and not in storage yet. */
  readonly waiting: number
  /** Records dropped since the process began. */
  readonly dropped: number
  /** Why records are dropped at present; null while all is well. */
  readonly trouble: string | null
}

export class Recorder extends Context.Service<
  Recorder,
  {
    /**
     * Always succeeds. Under `journal`: once the record would survive this process, or is counted as dropped; without a
     * journal, under `buffered`, and for shadow results: at once.
     */
    readonly record: (record: CaptureRecord, durability: Durability) => Effect.Effect<void>
    readonly figures: Effect.Effect<RecorderFigures>
    /**
     * Completes once storage has the records that wait now, or refused them; at most 2 seconds later. Other processes may have more
     * records.
     */
    readonly settle: Effect.Effect<void>
    /** From now on this server ends answers early: such a call is `failed`, not left by its client. */
    readonly cut: Effect.Effect<void>
  }
>()("@limbeck/capture/journal/Recorder") {}
