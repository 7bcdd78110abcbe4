/** Computes the cost of a call from the tokens that its upstream counted, or from an estimate if it counted none. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type { Prices } from "../price/Price.ts"
import * as PriceRules from "../price/PriceRules.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { CapturedCall, Usage } from "./CapturedCall.ts"
import { tierOf } from "./UsageRules.ts"

/**
 * Bytes per token of an estimate. Common tokenizers use three to four bytes per token for English text, and rarely fewer than two
 * for other languages and code, so an estimate is rarely below the real usage.
 */
const bytesPerToken = 2

const encoder = new TextEncoder()
const lengthOf = (text: string): number => encoder.encode(text).length

/** Members of an answer that hold the output of the model. */
const outputMembers = ["choices", "output"]
/** Members that describe an output without being its text. */
const aside: ReadonlySet<string> = new Set(["logprobs", "finish_reason", "role", "type", "id", "status", "object"])

/** Total UTF-8 length of the strings in a value, without those of the descriptive members. */
const textBytesIn = (value: unknown): number => {
  let bytes = 0
  const open: Array<unknown> = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "string") bytes += lengthOf(next)
    else if (Array.isArray(next)) for (const item of next) open.push(item)
    else if (typeof next === "object" && next !== null) {
      for (const [name, member] of Object.entries(next)) if (!aside.has(name)) open.push(member)
    }
  }
  return bytes
}

/** The captured part of an answer. */
export interface AnswerContent {
  /** The parsed JSON; undefined if it is not JSON or was too long to parse. */
  readonly value: unknown
  /** The captured text. */
  readonly text: string
  /** Whether the text is still packed, because no decoder knows the coding. */
  readonly isPacked: boolean
}

const outputBytesOf = ({ text, value }: AnswerContent): number => {
  const parts = isObject(value) ? outputMembers.flatMap((name) => (name in value ? [value[name]] : [])) : []
  return parts.length === 0 ? lengthOf(text) : textBytesIn(parts)
}

const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

type PricedRequest = Pick<CallRecord, "endpoint" | "request">

const estimatedUsage = ({ endpoint, request }: PricedRequest, answer: AnswerContent | null): Usage => ({
  inputTokens: tokensOf(request.length),
  outputTokens: endpoint === "embeddings" || answer === null ? 0 : tokensOf(outputBytesOf(answer))
})

/** Whether the usage counts the answer at all: some servers report zeros. */
const isCounted = (
  { endpoint }: PricedRequest,
  { inputTokens, outputTokens }: Usage,
  answer: AnswerContent | null
): boolean =>
  endpoint === "embeddings" ? inputTokens > 0 : outputTokens > 0 || answer === null || outputBytesOf(answer) === 0

const pricesOf = ({ cachePrices, inputPerMillion, outputPerMillion }: CallRecord): Prices =>
  cachePrices === undefined
    ? PriceRules.derive(inputPerMillion, outputPerMillion)
    : { inputPerMillion, outputPerMillion, ...cachePrices }

/** Whether the upstream answered with success, even if the client left before the end. */
export const isUsed = ({ outcome, statusCode }: Pick<CallRecord, "outcome" | "statusCode">): boolean =>
  outcome === "succeeded" || (outcome === "aborted" && statusCode !== null && statusCode >= 200 && statusCode < 300)

/** A response that runs in the background reports no usage yet. */
const isUnfinished = ({ outcome }: CallRecord, value: unknown): boolean =>
  outcome === "succeeded" && isObject(value) && (value["status"] === "queued" || value["status"] === "in_progress")

/** At most the money held for the call; all of it if the answer cannot be read. */
const estimatedCost = (record: CallRecord, answer: AnswerContent | null): number => {
  const estimate = PriceRules.microsOf(pricesOf(record), estimatedUsage(record, answer), tierOf(answer?.value))
  const { heldMicros } = record
  if (heldMicros === undefined) return estimate
  const isUnreadable = answer !== null && (answer.isPacked || isUnfinished(record, answer.value))
  return isUnreadable ? heldMicros : Math.min(estimate, heldMicros)
}

/**
 * The cost in whole micro-dollars. Null if the model has no price, or if a call of a `byok` source reports no usage. A call of a
 * managed source that reports no usage is estimated.
 */
export const costOf = (record: CallRecord, usage: Usage | null, answer: AnswerContent | null): number | null => {
  if (record.inputPerMillion === null && record.outputPerMillion === null) return null
  const counted = usage !== null && isCounted(record, usage, answer)
  if (record.managed && isUsed(record) && !counted) return estimatedCost(record, answer)
  return usage === null ? null : PriceRules.microsOf(pricesOf(record), usage, tierOf(answer?.value))
}

/** With what a student has paid. Null where the source's part is not known. */
export const wholeCost = ({
  costMicros,
  source,
  studentMicros
}: Pick<CapturedCall, "costMicros" | "source" | "studentMicros">): number | null => {
  if (studentMicros === undefined) return costMicros
  return costMicros === null && source !== null ? null : (costMicros ?? 0) + studentMicros
}
