/** Reads the confidence that a model tells with a chat completion: `service.confidence`, else its tokens' probabilities. Pure. */
import { isObject } from "@limbeck/core/json/Json"

export interface AnswerConfidence {
  /** 0 to 1, as it was told. */
  readonly value: number
  /** `service`: `service.confidence`; `tokens`: the geometric mean of the probabilities of the answer's tokens. */
  readonly from: "service" | "tokens"
}

const toldIn = (answer: Readonly<Record<string, unknown>>): number | null => {
  const { service } = answer
  const confidence = isObject(service) ? service["confidence"] : undefined
  return typeof confidence === "number" && confidence >= 0 && confidence <= 1 ? confidence : null
}

interface TokenSum {
  readonly sum: number
  readonly count: number
}

const none: TokenSum = { sum: 0, count: 0 }

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const tokensOf = (logprobs: unknown, before: TokenSum): TokenSum =>
  listOf(isObject(logprobs) ? logprobs["content"] : undefined).reduce<TokenSum>((sum, token) => {
    const logprob = isObject(token) ? token["logprob"] : undefined
    return typeof logprob === "number" ? { sum: sum.sum + Math.min(0, logprob), count: sum.count + 1 } : sum
  }, before)

/** Of several choices the least sure one counts. */
const confidenceOf = (choices: Iterable<TokenSum>): number | null => {
  const means = [...choices].map(({ count, sum }) => (count === 0 ? null : Math.exp(sum / count)))
  return means.length === 0 || means.includes(null) ? null : Math.min(...means.map((mean) => mean ?? 0))
}

/** `parts`: the whole completion, or the chunks of its stream in their order. Null where none of them tells it. */
export const of = (parts: ReadonlyArray<unknown>): AnswerConfidence | null => {
  let told: number | null = null
  const choices = new Map<unknown, TokenSum>()
  for (const part of parts) {
    if (!isObject(part)) continue
    told = toldIn(part) ?? told
    for (const choice of listOf(part["choices"])) {
      if (!isObject(choice)) continue
      const index = choice["index"] ?? 0
      choices.set(index, tokensOf(choice["logprobs"], choices.get(index) ?? none))
    }
  }
  if (told !== null) return { value: told, from: "service" }
  const value = confidenceOf(choices.values())
  return value === null ? null : { value, from: "tokens" }
}

const withoutTokens = (choice: unknown): unknown =>
  isObject(choice) && "logprobs" in choice ? { ...choice, logprobs: null } : choice

/** A completion, or a chunk of one, as it would be for a client that asked for no `logprobs`. */
export const stripLogprobs = (part: unknown): unknown =>
  isObject(part) && Array.isArray(part["choices"]) ? { ...part, choices: part["choices"].map(withoutTokens) } : part
