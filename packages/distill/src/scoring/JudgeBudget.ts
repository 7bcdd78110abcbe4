/**
 * Tokens of judges that score for a trainer. One server drives the trainer's run and another may score its completions: the
 * scoring server requests tokens, the driving server reserves them in the budget and grants them.
 *
 *     spent + held ≤ allowed ≤ what the budget has reserved
 *
 * Tokens are held before a judge's call, up to its maximum, and become spent by its actual use. A dead server's held tokens
 * count as spent: the judge may have answered. All figures count from the stage's beginning.
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

/** Requests this many more tokens. */
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
export const carryOver = (tokens: JudgeTokens): JudgeTokens => ({
  ...none,
  spent: tokens.spent + tokens.held
})
