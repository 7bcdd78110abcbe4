/** What a million tokens of a model cost, by the kind of token and the service tier (contract 16.10). */
import * as Schema from "effect/Schema"

/** US dollars. */
const Dollars = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** What every price of a tier is multiplied by. 1,000 leaves room for any provider's list and keeps products exact. */
const Factor = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))

/** The tiers that have a price of their own; any other name of an answer is the plain tier. */
export const Tiers = Schema.Struct({
  batch: Schema.optionalKey(Factor),
  flex: Schema.optionalKey(Factor),
  priority: Schema.optionalKey(Factor)
})
export type Tiers = typeof Tiers.Type

/** US dollars for a million tokens. Members as on the wire; what is absent is derived by `PriceRules`. */
export const priceFields = {
  input_per_million: Schema.optionalKey(Dollars),
  output_per_million: Schema.optionalKey(Dollars),
  /** Input that the provider read from its cache. */
  cached_input_per_million: Schema.optionalKey(Dollars),
  /** Input that the provider wrote to its cache. */
  cache_write_per_million: Schema.optionalKey(Dollars),
  /** Input that it wrote to be kept for an hour. */
  cache_write_1h_per_million: Schema.optionalKey(Dollars),
  tiers: Schema.optionalKey(Tiers)
}

export const StatedPrices = Schema.Struct(priceFields)
export type StatedPrices = typeof StatedPrices.Type

/** Names of the members that are dollars. */
export const dollarFields = [
  "input_per_million",
  "output_per_million",
  "cached_input_per_million",
  "cache_write_per_million",
  "cache_write_1h_per_million"
] as const

/** The prices that hold for a model. Null: no price is known, and nothing is charged for such tokens. */
export interface Prices {
  readonly inputPerMillion: number | null
  readonly outputPerMillion: number | null
  /** Null where input has no price. */
  readonly cachedInputPerMillion: number | null
  readonly cacheWritePerMillion: number | null
  readonly cacheWrite1hPerMillion: number | null
  readonly tiers: Tiers
}
