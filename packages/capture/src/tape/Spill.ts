/** Where bytes of answers under way go that are too many for the memory. An assembly has a place for them, or none. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class SpillFailed extends Fact<SpillFailed>()("SpillFailed", { cause: Schema.Defect() }) {}

/** One answer's. It is gone with the process, whatever happens. */
export interface SpillFile {
  /** Adds these to its end. After a failure it holds what it held before. One at a time. */
  readonly append: (chunks: ReadonlyArray<Uint8Array>) => Effect.Effect<void, SpillFailed>
  /** All that was added. */
  readonly read: Effect.Effect<Uint8Array, SpillFailed>
  /** Gives its room back. */
  readonly close: Effect.Effect<void>
}

export interface SpillPlace {
  /** An empty one, which nobody else can read. */
  readonly open: Effect.Effect<SpillFile, SpillFailed>
}

export class Spill extends Context.Reference<SpillPlace | null>("@limbeck/capture/tape/Spill", {
  defaultValue: () => null
}) {}
