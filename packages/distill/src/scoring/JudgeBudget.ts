/**
 * Tokens of judges that score for a trainer. The trainer's run is driven by one server and its completions may be scored by another:
 * the one that scores asks for tokens, the one that drives reserves them in the budget and allows them.
 *
 *     spent + held ≤ allowed ≤ what the budget has reserved
 *
 * Tokens are held before a judge is asked, as many as it may take at most, and become spent by what it took. What is held by
 * somebody who is gone counts as spent: the judge may have answered. All are counted from the stage's beginning.
 */
import * as Schema from "effect/Schema"

export const JudgeTokens = Schema.Struct({
  allowed: Schema.Int,
  held: Schema.Int,
  spent: Schema.Int,
  /** Up to which somebody waits for more to be allowed. */
  wanted: Schema.Int
})
export type JudgeTokens = typeof JudgeTokens.Type

export const none: JudgeTokens = { allowed: 0, held: 0, spent: 0, wanted: 0 }

/** With so many more held; null where they are not allowed yet. */
export const hold = (tokens: JudgeTokens, more: number): JudgeTokens | null =>
  tokens.spent + tokens.held + more > tokens.allowed ? null : { ...tokens, held: tokens.held + more }

/** Says that so many more would be held. */
export const want = (tokens: JudgeTokens, more: number): JudgeTokens => ({
  ...tokens,
  wanted: Math.max(tokens.wanted, tokens.spent + tokens.held + more)
})

/** Of what was held, `took` was spent. */
export const settle = (tokens: JudgeTokens, held: number, took: number): JudgeTokens => ({
  ...tokens,
  held: tokens.held - held,
  spent: tokens.spent + took
})

/** For the next attempt: nobody settles any more what is held. */
export const carried = (tokens: JudgeTokens): JudgeTokens => ({
  ...none,
  spent: tokens.spent + tokens.held
})
