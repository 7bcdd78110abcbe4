/** How many tokens rows are to a language model, counted by its own tokenizer. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Token counts over an even sample of a version's train rows, extrapolated to all rows. */
export interface TokenCount {
  /** At least one. */
  readonly rows: number
  /** Tokens of the student's input: its chat template, with the tools of the row. */
  readonly promptTokens: number
  readonly completionTokens: number
  /** Of the longest row, prompt and completion. */
  readonly longestTokens: number
}

export interface StudentTokens {
  /** Counts a ready version; null without a tokenizer of the student base, or if the tokenizer rejects the rows. */
  readonly count: (
    partition: Partition,
    version: string,
    student: string
  ) => Effect.Effect<TokenCount | null, StorageError>
}

/** Unless somebody counts, tokens are estimated from bytes. */
export const StudentTokens: Context.Reference<StudentTokens> = Context.Reference<StudentTokens>(
  "@limbeck/distill/recipe/StudentTokens",
  { defaultValue: () => ({ count: () => Effect.succeed(null) }) }
)
