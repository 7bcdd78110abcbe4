/** Overflow storage for streamed answers. An assembly has at most one. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class SpillFailed extends Fact<SpillFailed>()("SpillFailed", { cause: Schema.Defect() }) {}

/** The overflow of one answer. Gone with the process in any case. */
export interface SpillFile {
  /** Appends chunks. A failure leaves the content unchanged. One call at a time. */
  readonly append: (chunks: ReadonlyArray<Uint8Array>) => Effect.Effect<void, SpillFailed>
  /** All that was added. */
  readonly read: Effect.Effect<Uint8Array, SpillFailed>
  /** Gives its room back. */
  readonly close: Effect.Effect<void>
}

export interface SpillPlace {
  /** An empty file, private to this process. */
  readonly open: Effect.Effect<SpillFile, SpillFailed>
}

export class Spill extends Context.Reference<SpillPlace | null>("@limbeck/capture/tape/Spill", {
  defaultValue: () => null
}) {}
