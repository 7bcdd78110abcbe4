/** Which prices hold for a model, and what tokens cost by them. Exact: sums are integers until they are rounded once. Pure. */
import type { Usage } from "../call/CapturedCall.ts"
import type { Prices, StatedPrices, Tiers } from "./Price.ts"

/** A cache entry of an hour costs 2 × input where one of five minutes costs 1.25 × input. */
const hourFactor = 1.6

/** Dollars have at most 6 decimals. */
const toMillionths = (value: number): number => Math.round(value * 1e6)
const roundDollars = (dollars: number): number => toMillionths(dollars) / 1e6

export const isPriced = ({ input_per_million, output_per_million }: StatedPrices): boolean =>
  input_per_million !== undefined || output_per_million !== undefined

const hourOf = (write: number | null): number | null => (write === null ? null : roundDollars(write * hourFactor))

/** Derives the prices of cached and written input: as stated, else as `file` states them, else the price of input. */
export const pricesOf = (stated: StatedPrices, file: StatedPrices | undefined): Prices => {
  const input = stated.input_per_million ?? null
  const write = stated.cache_write_per_million ?? file?.cache_write_per_million ?? input
  const writeHour = stated.cache_write_per_million === undefined ? file?.cache_write_1h_per_million : undefined
  return {
    inputPerMillion: input,
    outputPerMillion: stated.output_per_million ?? null,
    cachedInputPerMillion: stated.cached_input_per_million ?? file?.cached_input_per_million ?? input,
    cacheWritePerMillion: write,
    cacheWrite1hPerMillion: stated.cache_write_1h_per_million ?? writeHour ?? hourOf(write),
    tiers: { ...file?.tiers, ...stated.tiers }
  }
}

const noTiers: Tiers = {}

/** The prices that follow from those of input and output. */
export const derive = (inputPerMillion: number | null, outputPerMillion: number | null): Prices => ({
  inputPerMillion,
  outputPerMillion,
  cachedInputPerMillion: inputPerMillion,
  cacheWritePerMillion: inputPerMillion,
  cacheWrite1hPerMillion: hourOf(inputPerMillion),
  tiers: noTiers
})

/** Whether all follows from the prices of input and output. */
export const isDerived = (prices: Prices): boolean => {
  const { inputPerMillion, outputPerMillion, tiers } = prices
  const derived = derive(inputPerMillion, outputPerMillion)
  return (
    prices.cachedInputPerMillion === derived.cachedInputPerMillion &&
    prices.cacheWritePerMillion === derived.cacheWritePerMillion &&
    prices.cacheWrite1hPerMillion === derived.cacheWrite1hPerMillion &&
    Object.keys(tiers).length === 0
  )
}

export const noPrices: Prices = derive(null, null)

/** The providers' names of the tiers in answers. */
const tierNames: Readonly<Record<string, keyof Tiers>> = {
  batch: "batch",
  batches: "batch",
  flex: "flex",
  priority: "priority"
}

const factorOf = (tiers: Tiers, tier: string | null): number => {
  const name = tier === null || !Object.hasOwn(tierNames, tier) ? undefined : tierNames[tier]
  return name === undefined ? 1 : (tiers[name] ?? 1)
}

/** The largest factor that an answer may name: which tier serves a call is known when it has answered. */
export const factorMax = ({ batch = 1, flex = 1, priority = 1 }: Tiers): number => Math.max(1, batch, flex, priority)

/**
 * The price of a token of input at its most expensive. Where writing costs what input costs, nobody stated that the model
 * writes: the derived price of an hour is left out, so that such models do not hold more than they ever cost.
 */
export const inputPerMillionMax = (prices: Prices): number => {
  const { cacheWrite1hPerMillion, cacheWritePerMillion, cachedInputPerMillion, inputPerMillion } = prices
  const plain = Math.max(inputPerMillion ?? 0, cachedInputPerMillion ?? 0)
  const written = isDerived({ ...prices, cachedInputPerMillion: inputPerMillion, tiers: {} })
    ? 0
    : Math.max(cacheWritePerMillion ?? 0, cacheWrite1hPerMillion ?? 0)
  return Math.max(plain, written)
}

/** Input by its price. An upstream that counts more cached and written tokens than input is held to its input. */
const partsOf = ({ cacheWrite1hTokens, cacheWriteTokens = 0, cachedTokens = 0, inputTokens }: Usage) => {
  const cached = Math.min(cachedTokens, inputTokens)
  const written = Math.min(cacheWriteTokens, inputTokens - cached)
  const hour = Math.min(cacheWrite1hTokens ?? 0, written)
  return { plain: inputTokens - cached - written, cached, brief: written - hour, hour }
}

const million = 1_000_000n

/** Tokens times dollars for a million of them: micro-dollars times a million. */
const product = (tokens: number, perMillion: number | null): bigint =>
  perMillion === null || tokens === 0 ? 0n : BigInt(tokens) * BigInt(toMillionths(perMillion))

const halfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor)

/** Whole micro-dollars, rounded half up once. `tier` is what the answer named. */
export const microsOf = (prices: Prices, usage: Usage, tier: string | null): number => {
  const { brief, cached, hour, plain } = partsOf(usage)
  const sum =
    product(plain, prices.inputPerMillion) +
    product(cached, prices.cachedInputPerMillion) +
    product(brief, prices.cacheWritePerMillion) +
    product(hour, prices.cacheWrite1hPerMillion) +
    product(usage.outputTokens, prices.outputPerMillion)
  const factor = BigInt(toMillionths(factorOf(prices.tiers, tier)))
  const micros = halfUp(sum * factor, million * million)
  return Number(micros > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : micros)
}
