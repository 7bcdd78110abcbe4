/** How many tokens rows are to a language model, counted by its own tokenizer. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Over an even sample of a version's train rows; sums of all rows of it. */
export interface TokenCount {
  /** At least one. */
  readonly rows: number
  /** Of what the student reads before it answers: its chat template, with the tools of the row. */
  readonly promptTokens: number
  readonly completionTokens: number
  /** Of the longest row, prompt and completion. */
  readonly longestTokens: number
}

export interface StudentTokens {
  /** Of a version that is ready; null where no tokenizer of the student base is at hand, or it takes no such rows. */
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
