/** The limits of a token's proxy calls: which models, how many a minute, and what they may cost a day (contract 16.9). */
import * as Schema from "effect/Schema"

/** An absent member does not limit. */
export const TokenLimits = Schema.Struct({
  /** Each a model's exact name, or the beginning of names followed by `*`. */
  models: Schema.optionalKey(Schema.Array(Schema.String)),
  requestsPerMinute: Schema.optionalKey(Schema.Int),
  /** Of a UTC day, in micro-dollars. */
  maxCostMicrosPerDay: Schema.optionalKey(Schema.Int)
})
export type TokenLimits = typeof TokenLimits.Type
