/**
 * Prices of models of the great providers, for `byok` sources where no price file is set. Facts of 2026-11-27, taken from
 * `model_prices_and_context_window` of the PyPI package litellm 1.110.2, which has them from the providers' price lists. Dollars
 * for a million tokens; ids as each provider's own API names them.
 */
import type { StatedPrices, Tiers } from "./Price.ts"
import type { PriceTable } from "./PriceList.ts"

/** The day on which the prices were taken. */
export const snapshotDate = "2026-11-27"

interface Row {
  readonly input: number
  readonly output: number
  readonly cached?: number
  readonly write?: number
  readonly hour?: number
  readonly max?: number
  readonly tiers?: Tiers
}

const rows: Readonly<Record<string, Row>> = {
  // OpenAI
  "gpt-5.6": {
    input: 4,
    output: 20,
    cached: 0.4,
    write: 5,
    max: 128000,
    tiers: { batch: 0.5, flex: 0.5, priority: 2 }
  },
  "gpt-5.6-sol": {
    input: 4,
    output: 20,
    cached: 0.4,
    write: 5,
    max: 128000,
    tiers: { batch: 0.5, flex: 0.5, priority: 2 }
  },
  "gpt-5.6-luna": {
    input: 0.2,
    output: 1.2,
    cached: 0.02,
    write: 0.25,
    max: 128000,
    tiers: { batch: 0.5, flex: 0.5, priority: 2 }
  },
  "gpt-5.5": { input: 5, output: 30, cached: 0.5, max: 128000, tiers: { batch: 0.5, flex: 0.5, priority: 2.5 } },
  "gpt-5.5-pro": { input: 30, output: 180, max: 128000, tiers: { batch: 0.5, flex: 0.5 } },
  "gpt-5.4": { input: 2.5, output: 15, cached: 0.25, max: 128000, tiers: { batch: 0.5, flex: 0.5, priority: 2 } },
  "gpt-5.4-pro": { input: 30, output: 180, max: 128000, tiers: { batch: 0.5, flex: 0.5 } },
  "gpt-5.4-mini": {
    input: 0.75,
    output: 4.5,
    cached: 0.075,
    max: 128000,
    tiers: { batch: 0.5, flex: 0.5, priority: 2 }
  },
  "gpt-5.4-nano": { input: 0.2, output: 1.25, cached: 0.02, max: 128000, tiers: { batch: 0.5, flex: 0.5 } },
  "gpt-5.2": { input: 1.75, output: 14, cached: 0.175, max: 128000, tiers: { batch: 0.5, flex: 0.5, priority: 2 } },
  "gpt-5.2-pro": { input: 21, output: 168, max: 128000, tiers: { batch: 0.5 } },
  "gpt-5.1": { input: 1.25, output: 10, cached: 0.125, max: 128000, tiers: { batch: 0.5, flex: 0.5, priority: 2 } },
  "gpt-5.1-codex": { input: 1.25, output: 10, cached: 0.125, max: 128000 },
  "gpt-5": { input: 1.25, output: 10, cached: 0.125, max: 128000, tiers: { batch: 0.5, flex: 0.5, priority: 2 } },
  "gpt-5-mini": { input: 0.25, output: 2, cached: 0.025, max: 128000, tiers: { batch: 0.5, flex: 0.5, priority: 1.8 } },
  "gpt-5-nano": { input: 0.05, output: 0.4, cached: 0.005, max: 128000, tiers: { batch: 0.5, flex: 0.5 } },
  "gpt-5-pro": { input: 15, output: 120, max: 272000, tiers: { batch: 0.5 } },
  "gpt-4.1": { input: 2, output: 8, cached: 0.5, max: 32768, tiers: { batch: 0.5, priority: 1.75 } },
  "gpt-4.1-2025-04-14": { input: 2, output: 8, cached: 0.5, max: 32768, tiers: { batch: 0.5, priority: 1.75 } },
  "gpt-4.1-mini": { input: 0.4, output: 1.6, cached: 0.1, max: 32768, tiers: { batch: 0.5, priority: 1.75 } },
  "gpt-4.1-mini-2025-04-14": {
    input: 0.4,
    output: 1.6,
    cached: 0.1,
    max: 32768,
    tiers: { batch: 0.5, priority: 1.75 }
  },
  "gpt-4.1-nano": { input: 0.1, output: 0.4, cached: 0.025, max: 32768, tiers: { batch: 0.5, priority: 2 } },
  "gpt-4o": { input: 2.5, output: 10, cached: 1.25, max: 16384, tiers: { batch: 0.5, priority: 1.7 } },
  "gpt-4o-2024-08-06": { input: 2.5, output: 10, cached: 1.25, max: 16384, tiers: { batch: 0.5, priority: 1.7 } },
  "gpt-4o-2024-11-20": { input: 2.5, output: 10, cached: 1.25, max: 16384, tiers: { batch: 0.5, priority: 1.7 } },
  "gpt-4o-mini": { input: 0.15, output: 0.6, cached: 0.075, max: 16384, tiers: { batch: 0.5, priority: 1.666667 } },
  "gpt-4o-mini-2024-07-18": {
    input: 0.15,
    output: 0.6,
    cached: 0.075,
    max: 16384,
    tiers: { batch: 0.5, priority: 1.666667 }
  },
  o3: { input: 2, output: 8, cached: 0.5, max: 100000, tiers: { batch: 0.5, flex: 0.5, priority: 1.75 } },
  "o3-mini": { input: 1.1, output: 4.4, cached: 0.55, max: 100000, tiers: { batch: 0.5 } },
  "o4-mini": {
    input: 1.1,
    output: 4.4,
    cached: 0.275,
    max: 100000,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.818182 }
  },
  "gpt-3.5-turbo": { input: 0.5, output: 1.5, max: 4096 },
  // Anthropic
  "claude-opus-5": { input: 5, output: 25, cached: 0.5, write: 6.25, hour: 10, max: 128000, tiers: { batch: 0.5 } },
  "claude-opus-4-8": { input: 5, output: 25, cached: 0.5, write: 6.25, hour: 10, max: 128000, tiers: { batch: 0.5 } },
  "claude-opus-4-7": { input: 5, output: 25, cached: 0.5, write: 6.25, hour: 10, max: 128000, tiers: { batch: 0.5 } },
  "claude-opus-4-6": { input: 5, output: 25, cached: 0.5, write: 6.25, hour: 10, max: 128000, tiers: { batch: 0.5 } },
  "claude-opus-4-5": { input: 5, output: 25, cached: 0.5, write: 6.25, hour: 10, max: 64000, tiers: { batch: 0.5 } },
  "claude-opus-4-5-20251101": {
    input: 5,
    output: 25,
    cached: 0.5,
    write: 6.25,
    hour: 10,
    max: 64000,
    tiers: { batch: 0.5 }
  },
  "claude-sonnet-5": { input: 2, output: 10, cached: 0.2, write: 2.5, hour: 4, max: 128000, tiers: { batch: 0.5 } },
  "claude-sonnet-4-6": { input: 3, output: 15, cached: 0.3, write: 3.75, hour: 6, max: 128000, tiers: { batch: 0.5 } },
  "claude-sonnet-4-5": { input: 3, output: 15, cached: 0.3, write: 3.75, hour: 6, max: 64000, tiers: { batch: 0.5 } },
  "claude-sonnet-4-5-20250929": {
    input: 3,
    output: 15,
    cached: 0.3,
    write: 3.75,
    hour: 6,
    max: 64000,
    tiers: { batch: 0.5 }
  },
  "claude-haiku-4-5": { input: 1, output: 5, cached: 0.1, write: 1.25, hour: 2, max: 64000, tiers: { batch: 0.5 } },
  "claude-haiku-4-5-20251001": {
    input: 1,
    output: 5,
    cached: 0.1,
    write: 1.25,
    hour: 2,
    max: 64000,
    tiers: { batch: 0.5 }
  },
  // Google
  "gemini-3.6-flash": {
    input: 0.75,
    output: 3.75,
    cached: 0.075,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  "gemini-3.5-flash": {
    input: 1.5,
    output: 9,
    cached: 0.15,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  "gemini-3.5-flash-lite": {
    input: 0.3,
    output: 2.5,
    cached: 0.03,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  "gemini-3.1-pro-preview": {
    input: 2,
    output: 12,
    cached: 0.2,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  "gemini-3-flash-preview": {
    input: 0.5,
    output: 3,
    cached: 0.05,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  "gemini-2.5-pro": {
    input: 1.25,
    output: 10,
    cached: 0.125,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  "gemini-2.5-flash": {
    input: 0.3,
    output: 2.5,
    cached: 0.03,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  "gemini-2.5-flash-lite": {
    input: 0.1,
    output: 0.4,
    cached: 0.01,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  "gemini-flash-latest": {
    input: 0.75,
    output: 3.75,
    cached: 0.075,
    max: 65536,
    tiers: { batch: 0.5, flex: 0.5, priority: 1.8 }
  },
  // Mistral
  "mistral-large-latest": { input: 0.5, output: 1.5, cached: 0.05, max: 262144 },
  "mistral-large-2512": { input: 0.5, output: 1.5, cached: 0.05, max: 262144 },
  "mistral-medium-latest": { input: 1.5, output: 7.5, cached: 0.15, max: 262144 },
  "mistral-small-latest": { input: 0.15, output: 0.6, cached: 0.015, max: 262144 },
  "codestral-latest": { input: 0.3, output: 0.9, cached: 0.03, max: 128000 },
  "ministral-8b-latest": { input: 0.15, output: 0.15, cached: 0.015, max: 262144 },
  "magistral-medium-latest": { input: 1.5, output: 7.5, cached: 0.15, max: 262144 },
  // DeepSeek
  "deepseek-chat": { input: 0.28, output: 0.42, cached: 0.028, max: 8192 },
  "deepseek-reasoner": { input: 0.28, output: 0.42, cached: 0.028, max: 65536 },
  "deepseek-v4-flash": { input: 0.3, output: 1.2, cached: 0.006, max: 393216 },
  "deepseek-v4-pro": { input: 1.32, output: 3.96, cached: 0.044, max: 393216 },
  // xAI
  "grok-4.5": { input: 2, output: 6, cached: 0.3, max: 500000 },
  "grok-4.3": { input: 1.25, output: 2.5, cached: 0.2, max: 1000000, tiers: { batch: 0.8 } },
  "grok-code-fast-1": { input: 1, output: 2, cached: 0.2, max: 256000 },
  // Moonshot
  "kimi-k3": { input: 3, output: 15, cached: 0.3, write: 3, hour: 6, max: 1048576 },
  "kimi-k2.6": { input: 0.95, output: 4, cached: 0.16, max: 262144 }
}

const pricesOf = ({ cached, hour, input, output, tiers, write }: Row): StatedPrices => ({
  input_per_million: input,
  output_per_million: output,
  ...(cached === undefined ? {} : { cached_input_per_million: cached }),
  ...(write === undefined ? {} : { cache_write_per_million: write }),
  ...(hour === undefined ? {} : { cache_write_1h_per_million: hour }),
  ...(tiers === undefined ? {} : { tiers })
})

const table: PriceTable = {
  entries: new Map(
    Object.entries(rows).map(([id, row]) => [id, { prices: pricesOf(row), outputTokensMax: row.max ?? null }])
  ),
  isChosen: false
}

/** Of a host that chooses no prices. */
export const prices = { current: () => table }
