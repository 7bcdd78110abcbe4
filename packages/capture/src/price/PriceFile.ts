/**
 * Reads a price file in the shape of `model_prices_and_context_window`, which the PyPI package `litellm` ships: an object of
 * models with dollars for one token (contract 16.12). Pure. Prices of long contexts, searches, images and seconds are not read.
 */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { StatedPrices, Tiers } from "./Price.ts"
import type { FileEntry } from "./PriceList.ts"
import { isPriced } from "./PriceRules.ts"

export type Entries = ReadonlyMap<string, FileEntry>

const fields = {
  input_per_million: "input_cost_per_token",
  output_per_million: "output_cost_per_token",
  cached_input_per_million: "cache_read_input_token_cost",
  cache_write_per_million: "cache_creation_input_token_cost",
  cache_write_1h_per_million: "cache_creation_input_token_cost_above_1hr"
} as const

/** The suffixes of the prices of a service tier. */
const suffixes: Readonly<Record<keyof Tiers, string>> = { batch: "batches", flex: "flex", priority: "priority" }

/** The entry that explains the members to people. */
const sample = "sample_spec"

const isPrice = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0

const sixDecimals = (value: number): number => Math.round(value * 1e6) / 1e6

/** The member that is no price; undefined: there is none. Null counts as absent. */
const faultIn = (model: Schema.JsonObject): string | undefined =>
  Object.values(fields).find((name) => model[name] !== undefined && model[name] !== null && !isPrice(model[name]))

/** The larger of the factors of input and output, so that a call never costs more than is shown here. */
const factorOf = (model: Schema.JsonObject, suffix: string): number | undefined => {
  const factors = [fields.input_per_million, fields.output_per_million].flatMap((name) => {
    const [plain, tiered] = [model[name], model[`${name}_${suffix}`]]
    return isPrice(plain) && plain > 0 && isPrice(tiered) ? [sixDecimals(tiered / plain)] : []
  })
  return factors.length === 0 ? undefined : Math.max(...factors)
}

const present = <A extends object>(found: { readonly [K in keyof A]: A[K] | undefined }): A =>
  Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as A // Without what is absent.

const pricesOf = (model: Schema.JsonObject): StatedPrices => {
  const dollars = Object.entries(fields).map(([field, name]) => {
    const price = model[name]
    return [field, isPrice(price) ? sixDecimals(price * 1e6) : undefined] as const
  })
  const tiers = Object.entries(suffixes).map(([tier, suffix]) => [tier, factorOf(model, suffix)] as const)
  const stated = present<Tiers>(Object.fromEntries(tiers) as Tiers) // Its keys are those of the tiers.
  return present<StatedPrices>({
    ...(Object.fromEntries(dollars) as StatedPrices), // Its keys are those of prices.
    tiers: Object.keys(stated).length === 0 ? undefined : stated
  })
}

const outputTokensOf = ({ max_output_tokens: tokens }: Schema.JsonObject): number | null =>
  typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : null

/** The models with a price, or what is wrong with the file. */
export const read = (value: unknown): Result.Result<Entries, string> => {
  if (!isObject(value)) return Result.fail("must be an object of models")
  const entries = new Map<string, FileEntry>()
  for (const [id, model] of Object.entries(value)) {
    if (id === sample || !isObject(model)) continue
    const fault = faultIn(model)
    if (fault !== undefined) return Result.fail(`"${id}": ${fault} must be a number that is not negative`)
    const prices = pricesOf(model)
    if (isPriced(prices)) entries.set(id, { prices, outputTokensMax: outputTokensOf(model) })
  }
  return entries.size === 0 ? Result.fail("names no model with input_cost_per_token") : Result.succeed(entries)
}
