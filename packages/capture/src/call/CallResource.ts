/** Captured calls and feedback as the API shows them (contract 4, 6), to be written by `JsonPieces`. */
import * as JsonPieces from "@limbeck/core/json/JsonPieces"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Feedback } from "../feedback/Feedback.ts"
import { CaptureLimits } from "../Limits.ts"
import type { CallDetail } from "./Calls.ts"
import type { CapturedCall, ShadowResult, Usage } from "./CapturedCall.ts"

/** JSON as it was stored, which was parsed then; what nests too deep to be shown as such is a text. */
class StoredJson extends JsonPieces.Written {
  readonly #text: string

  constructor(text: string) {
    super()
    this.#text = text
  }

  override *pieces(): Generator<string, void, void> {
    const steps = JsonShape.excessSteps(this.#text, { depth: CaptureLimits.shownDepthMax })
    let step = steps.next()
    for (; !step.done; step = steps.next()) yield ""
    yield* step.value === undefined ? JsonPieces.ofJson(this.#text) : JsonPieces.ofText(this.#text)
  }
}

/** A JSON value where it is one, else the text. */
const bodyOf = (text: string, isJson: boolean): unknown => (isJson ? new StoredJson(text) : text)

const renderUsage = (usage: Usage) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  input_tokens_details: {
    cached_tokens: usage.cachedTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
    ...(usage.cacheWrite1hTokens === undefined ? {} : { cache_write_1h_tokens: usage.cacheWrite1hTokens }),
    ...(usage.audioInputTokens === undefined ? {} : { audio_tokens: usage.audioInputTokens })
  },
  output_tokens_details: {
    reasoning_tokens: usage.reasoningTokens ?? 0,
    ...(usage.audioOutputTokens === undefined ? {} : { audio_tokens: usage.audioOutputTokens })
  }
})

export const render = (partition: Partition, call: CapturedCall) => ({
  id: call.id,
  object: "captured_call" as const,
  livemode: partition.livemode,
  endpoint: call.endpoint,
  source: call.source,
  source_name: call.sourceName,
  model: call.model,
  served_by: call.servedBy,
  deployment: call.deployment,
  fallback_reason: call.fallbackReason,
  confidence: call.confidence,
  tags: call.tags,
  external_id: call.externalId,
  outcome: call.outcome,
  status_code: call.statusCode,
  streamed: call.streamed,
  request: bodyOf(call.request, call.requestIsJson),
  response: call.response === null ? null : bodyOf(call.response, call.responseIsJson),
  truncated: call.truncated,
  usage: call.usage === null ? null : renderUsage(call.usage),
  cost_usd: call.costMicros === null ? null : toUsd(call.costMicros),
  billed: call.billed,
  latency_ms: call.latencyMillis,
  first_token_ms: call.firstTokenMillis,
  created_at: toIso(call.createdAt)
})

const renderShadow = (shadow: ShadowResult) => ({
  object: "shadow_result" as const,
  deployment: shadow.deployment,
  error: shadow.error,
  message: shadow.message === null ? null : bodyOf(shadow.message, true),
  confidence: shadow.confidence,
  latency_ms: shadow.latencyMillis,
  agrees: shadow.agrees,
  verifies: shadow.verifies,
  created_at: toIso(shadow.createdAt)
})

export const renderFeedback = (partition: Partition, feedback: Feedback) => ({
  id: feedback.id,
  object: "feedback" as const,
  livemode: partition.livemode,
  call_id: feedback.call,
  external_id: feedback.externalId,
  name: feedback.name,
  value: feedback.value,
  comment: feedback.comment,
  created_at: toIso(feedback.createdAt)
})

export const renderDetail = (partition: Partition, { call, feedback, shadows }: CallDetail) => ({
  ...render(partition, call),
  shadow_results: shadows.map(renderShadow),
  feedback: feedback.map((one) => renderFeedback(partition, one))
})
