/** A captured call: what a client asked, and what answered it (contract 6, 7). It never changes once it is stored. */
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const CallId = Id.schema("call")
export type CallId = typeof CallId.Type

const isCallId = Id.isOf("call")

/**
 * Whether it is the id of a call that was made at this time or later, by the time in the id. That may lie far ahead: the clock
 * that it was read from may have been.
 */
export const isMadeSince = (id: string, at: Millis): boolean => isCallId(id) && id >= Id.floorAt("call", at)

/** Who answered; `shadow`: the upstream, and the student got a copy (contract 7). */
export const ServedBy = Schema.Literals(["upstream", "student", "shadow", "upstream_fallback"])
export type ServedBy = typeof ServedBy.Type

/** `succeeded`: a whole answer with a 2xx status; `aborted`: the client left first; `failed`: anything else, as a server that stops. */
export const Outcome = Schema.Literals(["succeeded", "failed", "aborted"])
export type Outcome = typeof Outcome.Type

/** Which of the proxy's routes was called. */
export const CallEndpoint = Schema.Literals([
  "chat.completions",
  "completions",
  "responses",
  "messages",
  "embeddings",
  "decisions",
  "systemone"
])
export type CallEndpoint = typeof CallEndpoint.Type

/** Tokens as the upstream counted them. Details that the upstream omits are absent. */
export const Usage = Schema.Struct({
  /** All input, including cache reads and cache writes. */
  inputTokens: Schema.Int,
  outputTokens: Schema.Int,
  cachedTokens: Schema.optionalKey(Schema.Int),
  cacheWriteTokens: Schema.optionalKey(Schema.Int),
  /** One-hour cache writes, included in `cacheWriteTokens`. */
  cacheWrite1hTokens: Schema.optionalKey(Schema.Int),
  reasoningTokens: Schema.optionalKey(Schema.Int),
  audioInputTokens: Schema.optionalKey(Schema.Int),
  audioOutputTokens: Schema.optionalKey(Schema.Int)
})
export type Usage = typeof Usage.Type

/** One request to a source for a call. */
export const CallAttempt = Schema.Struct({
  /** Id of the source. */
  source: Schema.String,
  model: Schema.NullOr(Schema.String),
  /** Null where the source gave no answer. */
  statusCode: Schema.NullOr(Schema.Int),
  /** Why it gave none; null where it answered. */
  error: Schema.NullOr(Schema.String),
  latencyMillis: Schema.Int
})
export type CallAttempt = typeof CallAttempt.Type

export const CapturedCall = Schema.Struct({
  id: CallId,
  endpoint: CallEndpoint,
  /** Id of the source that answered or was to answer; null where only a student did. */
  source: Schema.NullOr(Schema.String),
  /** Its name at that time. */
  sourceName: Schema.NullOr(Schema.String),
  /** As the client named it: `svc:<alias>` too. */
  model: Schema.NullOr(Schema.String),
  servedBy: ServedBy,
  deployment: Schema.NullOr(Schema.String),
  /** Why a student's answer was not the one: see `FallbackReason`; null where it was, or was not asked. */
  fallbackReason: Schema.NullOr(Schema.String),
  /** How sure the student was, 0 to 1, also of an answer that was not the one; null where it did not say. */
  confidence: Schema.NullOr(Schema.Finite),
  tags: Schema.Array(Schema.String),
  externalId: Schema.NullOr(Schema.String),
  outcome: Outcome,
  /** What the client was told; null where it left before. */
  statusCode: Schema.NullOr(Schema.Int),
  streamed: Schema.Boolean,
  /** The request's body: JSON text where `requestIsJson`, else text. */
  request: Schema.String,
  requestIsJson: Schema.Boolean,
  /** The answer, a stream put together into one completion; null where there was none. */
  response: Schema.NullOr(Schema.String),
  responseIsJson: Schema.Boolean,
  /** Whether more of the request or the answer came than is kept; what is cut is no JSON. */
  truncated: Schema.Boolean,
  /** Which version of the assembler put a stream together; null where there was none to put together. */
  assemblerVersion: Schema.NullOr(Schema.Int),
  usage: Schema.NullOr(Usage),
  /** By the prices of the source's model; null where it has none. */
  costMicros: Schema.NullOr(Schema.Int),
  /** Failed calls of managed sources, and all of test mode, are not. */
  billed: Schema.Boolean,
  /** From the request's last byte in to the answer's last byte out. */
  latencyMillis: Schema.Int,
  firstTokenMillis: Schema.NullOr(Schema.Int),
  /** Of a source with fallbacks or retries. Absent where the call is its only attempt. */
  attempts: Schema.optionalKey(Schema.Array(CallAttempt)),
  createdAt: Millis
})
export type CapturedCall = typeof CapturedCall.Type

/**
 * What a student in shadow would have answered, set beside the answer that was given; where it `verifies`, what the upstream
 * answered, set beside the answer that the student gave.
 */
export const ShadowResult = Schema.Struct({
  call: CallId,
  deployment: Schema.String,
  /** Null where it answered; else why not. */
  error: Schema.NullOr(Schema.String),
  /** Its assistant message as JSON text; null where there was none. */
  message: Schema.NullOr(Schema.String),
  /** The student's. */
  confidence: Schema.NullOr(Schema.Finite),
  latencyMillis: Schema.Int,
  /** Whether it says the same as the upstream's answer; null where either has none. */
  agrees: Schema.NullOr(Schema.Boolean),
  /** What the upstream's answer is counted by: the same number for the same answer. Null where the upstream gave none. */
  answer: Schema.NullOr(Schema.Int),
  verifies: Schema.Boolean,
  createdAt: Millis
})
export type ShadowResult = typeof ShadowResult.Type
