/** Searches texts for patterns that others wrote. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

export type PatternVerdict = "found" | "absent" | "too_costly"

/** Whether the pattern is somewhere in the text. Ends within the limit of time, and keeps nobody else from running. */
export type Matcher = (text: string) => Effect.Effect<PatternVerdict>

export class Patterns extends Context.Service<
  Patterns,
  {
    /**
     * RE2's syntax, with linear search time. Refuses syntax beyond it, such as back-references and look-ahead, and
     * malformed patterns; the failure gives the reason.
     */
    readonly compile: (pattern: string) => Effect.Effect<Result.Result<Matcher, string>>
  }
>()("@limbeck/distill/reward/Patterns") {}
