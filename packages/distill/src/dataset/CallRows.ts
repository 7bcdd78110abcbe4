/** The captured calls that a version is made of. Whoever captures them provides this; distill knows no more of calls. */
import type { InvalidInput, StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"

/** Which calls (contract 6, 14.21). What is absent filters nothing. */
export const CallsFilter = Schema.Struct({
  /** Id of a source. */
  source: Schema.optionalKey(Schema.String),
  /** All of them. */
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  model: Schema.optionalKey(Schema.String),
  createdAfter: Schema.optionalKey(Schema.Int),
  createdBefore: Schema.optionalKey(Schema.Int),
  /** At least one feedback has this value or more. */
  minFeedback: Schema.optionalKey(Schema.Finite),
  /** The newest so many. */
  limit: Schema.optionalKey(Schema.Int)
})
export type CallsFilter = typeof CallsFilter.Type

export class CallRows extends Context.Service<
  CallRows,
  {
    /** The filter with the source's id in place of its name; refuses one that there is not on `from.calls.source`. */
    readonly resolve: (
      partition: Partition,
      filter: CallsFilter
    ) => Effect.Effect<CallsFilter, InvalidInput | StorageError>
    /**
     * Each succeeded chat completion that somebody else than a student answered, made before `before`, as the JSON text of
     * an upload's row, newest first, in constant memory.
     */
    readonly scan: (partition: Partition, filter: CallsFilter, before: Millis) => Stream.Stream<string, StorageError>
  }
>()("@limbeck/distill/dataset/CallRows") {}
