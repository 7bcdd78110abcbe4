/**
 * What an answer says of its tokens, in the forms of OpenAI's chat and Responses, of Anthropic's Messages and of those who
 * follow them. Pure.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { Usage } from "./CapturedCall.ts"

const countMax = 2 ** 31 - 1

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= countMax ? Math.round(value) : undefined

const nothing: Schema.JsonObject = {}

const objectIn = (parent: Schema.JsonObject, ...names: ReadonlyArray<string>): Schema.JsonObject => {
  for (const name of names) {
    const found = parent[name]
    if (isObject(found)) return found
  }
  return nothing
}

type Detail = Exclude<keyof Usage, "inputTokens" | "outputTokens">

const detailNames = [
  "cachedTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "reasoningTokens",
  "audioInputTokens",
  "audioOutputTokens"
] as const satisfies ReadonlyArray<Detail>

/** Without what was not said. */
const details = (found: { readonly [K in Detail]: number | undefined }): { readonly [K in Detail]?: number } => {
  const counted: { [K in Detail]?: number } = {}
  for (const name of detailNames) {
    const count = found[name]
    if (count !== undefined) counted[name] = count
  }
  return counted
}

/** Anthropic counts beside `input_tokens` what was read from its cache and written to it. */
const isAnthropic = (usage: Schema.JsonObject): boolean =>
  !("prompt_tokens" in usage) && ("cache_read_input_tokens" in usage || "cache_creation_input_tokens" in usage)

const ofAnthropic = (usage: Schema.JsonObject): Usage | null => {
  const plain = countOf(usage["input_tokens"])
  const output = countOf(usage["output_tokens"] ?? 0)
  if (plain === undefined || output === undefined) return null
  const cached = countOf(usage["cache_read_input_tokens"]) ?? 0
  const { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: brief } = objectIn(usage, "cache_creation")
  const written = countOf(usage["cache_creation_input_tokens"]) ?? (countOf(hour) ?? 0) + (countOf(brief) ?? 0)
  return {
    inputTokens: plain + cached + written,
    outputTokens: output,
    ...details({
      cachedTokens: cached,
      cacheWriteTokens: written,
      cacheWrite1hTokens: countOf(hour),
      reasoningTokens: countOf(objectIn(usage, "output_tokens_details")["thinking_tokens"]),
      audioInputTokens: undefined,
      audioOutputTokens: undefined
    })
  }
}

/** Some servers count reasoning beside `completion_tokens`: then the total is the sum of three. */
const outputOf = (output: number, reasoning: number | undefined, input: number, total: unknown): number =>
  reasoning !== undefined && total === input + output + reasoning ? output + reasoning : output

/** Chat completions and embeddings say `prompt_tokens`, responses `input_tokens`; embeddings have no output. */
const ofOpenAi = (usage: Schema.JsonObject): Usage | null => {
  const input = countOf(usage["prompt_tokens"] ?? usage["input_tokens"])
  const output = countOf(usage["completion_tokens"] ?? usage["output_tokens"] ?? 0)
  if (input === undefined || output === undefined) return null
  const inputDetails = objectIn(usage, "prompt_tokens_details", "input_tokens_details")
  const outputDetails = objectIn(usage, "completion_tokens_details", "output_tokens_details")
  const reasoning = countOf(outputDetails["reasoning_tokens"])
  return {
    inputTokens: input,
    outputTokens: outputOf(output, reasoning, input, usage["total_tokens"]),
    ...details({
      // DeepSeek and Moonshot say it at the top.
      cachedTokens: countOf(
        inputDetails["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cached_tokens"]
      ),
      cacheWriteTokens: countOf(inputDetails["cache_write_tokens"]),
      cacheWrite1hTokens: countOf(inputDetails["cache_write_1h_tokens"]),
      reasoningTokens: reasoning,
      audioInputTokens: countOf(inputDetails["audio_tokens"]),
      audioOutputTokens: countOf(outputDetails["audio_tokens"])
    })
  }
}

/** Null where the answer has no count of its input. */
export const usageOf = (answer: unknown): Usage | null => {
  const usage = isObject(answer) ? answer["usage"] : undefined
  if (!isObject(usage)) return null
  return isAnthropic(usage) ? ofAnthropic(usage) : ofOpenAi(usage)
}

/** The service tier that an answer names: OpenAI beside the usage, Anthropic within it. */
export const tierOf = (answer: unknown): string | null => {
  if (!isObject(answer)) return null
  const { service_tier: tier, usage } = answer
  const named = tier ?? (isObject(usage) ? usage["service_tier"] : undefined)
  return typeof named === "string" ? named : null
}
