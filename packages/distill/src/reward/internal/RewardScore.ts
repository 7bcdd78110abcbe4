/** What a scorer answers. A scorer that cannot score says so: it never gives a zero instead. */
import type * as Schema from "effect/Schema"

/**
 * `no_reference`: the row has nothing to compare with. `too_costly`: it took longer than allowed. `no_source`: the judge's
 * source is not set up. `judge_failed`, `scorer_failed`: no answer came. `invalid_answer`: one came that is no score.
 */
export type ScoreError =
  | "no_reference"
  | "too_costly"
  | "no_source"
  | "judge_failed"
  | "scorer_failed"
  | "invalid_answer"

export interface RewardScore {
  /** 0 to 1; null exactly when there is an error. */
  readonly score: number | null
  readonly error: ScoreError | null
  /** One sentence for a person. */
  readonly message: string
  /** What the kind has to add, for a program. */
  readonly facts: Schema.JsonObject
  /** Tokens read and written by judges for it. */
  readonly judgeTokens: number
}

export const makeScore = (
  score: number,
  message: string,
  facts: Schema.JsonObject = {},
  judgeTokens = 0
): RewardScore => ({
  score,
  error: null,
  message,
  facts,
  judgeTokens
})

export const makeFailure = (
  error: ScoreError,
  message: string,
  facts: Schema.JsonObject = {},
  judgeTokens = 0
): RewardScore => ({ score: null, error, message, facts, judgeTokens })

/** 1 for what holds, 0 for what does not. */
export const verdict = (holds: boolean, yes: string, no: string, facts: Schema.JsonObject = {}): RewardScore =>
  makeScore(holds ? 1 : 0, holds ? yes : no, facts)
