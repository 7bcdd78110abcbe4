/** Captured calls and feedback as the API shows them (contract 4, 6), to be written by `JsonPieces`. */
import * as JsonPieces from "@limbeck/core/json/JsonPieces"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import * as Characters from "@limbeck/core/text/Characters"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { CallDecision } from "../dialect/decisions/Question.ts"
import type { Feedback } from "../feedback/Feedback.ts"
import { CaptureLimits } from "../Limits.ts"
import type { CallDetail } from "./Calls.ts"
import {
  type CallAttempt,
  CallEndpoint,
  type CapturedCall,
  Outcome,
  ServedBy,
  type ShadowResult,
  type Usage
} from "./CapturedCall.ts"
import * as CostRules from "./CostRules.ts"

const Body = Schema.Unknown.annotate({ description: "The JSON value where it is one, else the text" })

const UsageResource = Schema.Struct({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  input_tokens_details: Schema.Struct({
    cached_tokens: Count,
    cache_write_tokens: Count,
    cache_write_1h_tokens: Schema.optionalKey(Count),
    audio_tokens: Schema.optionalKey(Count)
  }),
  output_tokens_details: Schema.Struct({ reasoning_tokens: Count, audio_tokens: Schema.optionalKey(Count) })
}).annotate({
  description: "`prompt_tokens` counts all input, also what was read from the provider's cache and written to it"
})

const Attempt = Schema.Struct({
  source: idOf("src"),
  model: Schema.NullOr(Schema.String),
  status_code: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  latency_ms: Count
})

const Decision = Schema.Struct({ ...CallDecision.fields, question: idOf("qst") })

export const CallResource = Schema.Struct({
  id: idOf("call"),
  object: Schema.Literal("captured_call"),
  livemode: Schema.Boolean,
  endpoint: CallEndpoint,
  source: Schema.NullOr(Schema.String),
  source_name: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  served_by: ServedBy,
  deployment: Schema.NullOr(idOf("dep")),
  fallback_reason: Schema.NullOr(Schema.String),
  confidence: Schema.NullOr(Schema.Finite),
  tags: Schema.Array(Schema.String),
  external_id: Schema.NullOr(Schema.String),
  verifies: Schema.NullOr(idOf("call")).annotate({
    description: "The call that a student answered and that this call asked the upstream again; null for other calls"
  }),
  outcome: Outcome,
  status_code: Schema.NullOr(Schema.Int),
  streamed: Schema.Boolean,
  request: Body,
  response: Body,
  truncated: Schema.Boolean.annotate({
    description: "Whether more of the request or the response came than is kept: 16 MiB of each; what is cut is a text"
  }),
  usage: Schema.NullOr(UsageResource),
  cost_usd: Schema.NullOr(Schema.Finite),
  billed: Schema.Boolean,
  latency_ms: Count,
  first_token_ms: Schema.NullOr(Count),
  attempts: Schema.Array(Attempt).annotate({
    description: "Requests to sources for this call, of a source with fallbacks or retries; else empty"
  }),
  decisions: Schema.Array(Decision).annotate({
    description: "Answers to the questions of a succeeded request for decisions, in its order; else empty"
  }),
  created_at: Timestamp
}).annotate({ identifier: "CapturedCall" })

export const ShadowResultResource = Schema.Struct({
  object: Schema.Literal("shadow_result"),
  deployment: idOf("dep"),
  error: Schema.NullOr(Schema.String),
  message: Body,
  confidence: Schema.NullOr(Schema.Finite),
  latency_ms: Count,
  agrees: Schema.NullOr(Schema.Boolean),
  verifies: Schema.Boolean,
  created_at: Timestamp
}).annotate({ identifier: "ShadowResult" })

export const FeedbackResource = Schema.Struct({
  id: idOf("fb"),
  object: Schema.Literal("feedback"),
  livemode: Schema.Boolean,
  call_id: Schema.NullOr(idOf("call")),
  external_id: Schema.NullOr(Schema.String),
  name: Schema.String,
  value: Schema.Finite,
  comment: Schema.NullOr(Schema.String),
  question: Schema.NullOr(Schema.String).annotate({
    description: "The question of a call of decisions that it is about; null for the answer as a whole"
  }),
  prompt: Schema.NullOr(Schema.String).annotate({
    description: "The prompt of a reviewed row, by its key; the comment is then the judged answer, or the right one"
  }),
  given_by: Schema.NullOr(
    Schema.Struct({ kind: Schema.Literals(["person", "token", "operator"]), id: Schema.NullOr(Schema.String) })
  ).annotate({ description: "Who gave it; null where it was given before this was kept" }),
  created_at: Timestamp
}).annotate({ identifier: "Feedback" })

export const CallDetailResource = Schema.Struct({
  ...CallResource.fields,
  shadow_results: Schema.Array(ShadowResultResource),
  feedback: Schema.Array(FeedbackResource)
}).annotate({ identifier: "CapturedCallDetail" })

/** A text that a captured call contains. */
export const SearchText = Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.searchTextMax))

/** Stored JSON, checked before storage; JSON too deep for rendering is a text. */
class StoredJson extends JsonPieces.JsonWriter {
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

/** A JSON value, or the text for anything else. */
const bodyOf = (text: string, isJson: boolean): unknown => (isJson ? new StoredJson(text) : text)

const costUsdOf = (call: CapturedCall): number | null => {
  const micros = CostRules.wholeCost(call)
  return micros === null ? null : toUsd(micros)
}

const renderUsage = Rendered.by(UsageResource, (usage: Usage) => ({
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
}))

const renderAttempt = ({ error, latencyMillis, model, source, statusCode }: CallAttempt) => ({
  source,
  model,
  status_code: statusCode,
  error,
  latency_ms: latencyMillis
})

export const render = Rendered.by(CallResource, (partition: Partition, call: CapturedCall) => ({
  id: call.id,
  object: "captured_call",
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
  verifies: call.verifies?.call ?? null,
  outcome: call.outcome,
  status_code: call.statusCode,
  streamed: call.streamed,
  request: bodyOf(call.request, call.requestIsJson),
  response: call.response === null ? null : bodyOf(call.response, call.responseIsJson),
  truncated: call.truncated,
  usage: call.usage === null ? null : renderUsage(call.usage),
  cost_usd: costUsdOf(call),
  billed: call.billed,
  latency_ms: call.latencyMillis,
  first_token_ms: call.firstTokenMillis,
  attempts: (call.attempts ?? []).map(renderAttempt),
  decisions: call.decisions ?? [],
  created_at: toIso(call.createdAt)
}))

const renderShadow = Rendered.by(ShadowResultResource, (shadow: ShadowResult) => ({
  object: "shadow_result",
  deployment: shadow.deployment,
  error: shadow.error,
  message: shadow.message === null ? null : bodyOf(shadow.message, true),
  confidence: shadow.confidence,
  latency_ms: shadow.latencyMillis,
  agrees: shadow.agrees,
  verifies: shadow.verifies,
  created_at: toIso(shadow.createdAt)
}))

export const renderFeedback = Rendered.by(FeedbackResource, (partition: Partition, feedback: Feedback) => ({
  id: feedback.id,
  object: "feedback",
  livemode: partition.livemode,
  call_id: feedback.call,
  external_id: feedback.externalId,
  name: feedback.name,
  value: feedback.value,
  comment: feedback.comment,
  question: feedback.question ?? null,
  prompt: feedback.prompt ?? null,
  given_by: feedback.givenBy ?? null,
  created_at: toIso(feedback.createdAt)
}))

export const renderDetail = Rendered.by(
  CallDetailResource,
  (partition: Partition, { call, feedback, shadows }: CallDetail) => ({
    ...render(partition, call),
    shadow_results: shadows.map(renderShadow),
    feedback: feedback.map((one) => renderFeedback(partition, one))
  })
)
