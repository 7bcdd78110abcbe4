/** A captured call: a client's request and its answer (contract 6, 7). Immutable once stored. */
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { CallDecision } from "../dialect/decisions/Question.ts"

export const CallId = Id.schema("call")
export type CallId = typeof CallId.Type

const isCallId = Id.isOf("call")

/** Whether a call's id holds this time or a later one. The id's time may lie far ahead, if its clock did. */
export const isMadeSince = (id: string, at: Millis): boolean => isCallId(id) && id >= Id.floorAt("call", at)

/**
 * Who answered; `shadow`: the upstream, and the student got a copy (contract 7); `mixed`: the student some questions of a request for
 * decisions, and the fallback the others.
 */
export const ServedBy = Schema.Literals(["upstream", "student", "shadow", "upstream_fallback", "mixed"])
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

/** A call that a student has answered, and that student's deployment. */
export const VerifiedCall = Schema.Struct({ call: CallId, deployment: Schema.String })
export type VerifiedCall = typeof VerifiedCall.Type

export const CapturedCall = Schema.Struct({
  id: CallId,
  endpoint: CallEndpoint,
  /** Id of the source of the answer, or of the last attempt; null for a student alone. */
  source: Schema.NullOr(Schema.String),
  /** Its name at that time. */
  sourceName: Schema.NullOr(Schema.String),
  /** As the client named it: `svc:<alias>` too. */
  model: Schema.NullOr(Schema.String),
  servedBy: ServedBy,
  deployment: Schema.NullOr(Schema.String),
  /** The reason for a fallback (`FallbackReason`); null if the student answered, or was not asked. */
  fallbackReason: Schema.NullOr(Schema.String),
  /** The student's confidence, 0 to 1, even if its answer was not used; null if unknown. */
  confidence: Schema.NullOr(Schema.Finite),
  tags: Schema.Array(Schema.String),
  externalId: Schema.NullOr(Schema.String),
  /** Of an upstream's answer to a call that a student has answered. Absent for other calls. */
  verifies: Schema.optionalKey(VerifiedCall),
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
  /** Whether the request or the answer was longer than its stored part; a cut body is no JSON. */
  truncated: Schema.Boolean,
  /** The version of the assembler; null without a stream to assemble. */
  assemblerVersion: Schema.NullOr(Schema.Int),
  usage: Schema.NullOr(Usage),
  /** By the prices of the source's model; null where it has none. */
  costMicros: Schema.NullOr(Schema.Int),
  /** What a student has paid for the embedding of the request, whoever answered. Absent without one, and without a price. */
  studentMicros: Schema.optionalKey(Schema.Int),
  /** False for failed calls of managed sources, and for all of test mode. */
  billed: Schema.Boolean,
  /** From the request's last byte in to the answer's last byte out. */
  latencyMillis: Schema.Int,
  firstTokenMillis: Schema.NullOr(Schema.Int),
  /** Of a source with fallbacks or retries. Absent where the call is its only attempt. */
  attempts: Schema.optionalKey(Schema.Array(CallAttempt)),
  /** The answers of a succeeded request for decisions, in its order. Absent for other calls and for bodies too long to be parsed. */
  decisions: Schema.optionalKey(Schema.Array(CallDecision)),
  createdAt: Millis
})
export type CapturedCall = typeof CapturedCall.Type

/**
 * A shadow student's answer compared with the given answer; for a result that `verifies`, the upstream's answer compared
 * with the student's given answer.
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
  /** Whether both answers agree; null if one is missing. */
  agrees: Schema.NullOr(Schema.Boolean),
  /** What the upstream's answer is counted by: the same number for the same answer. Null where the upstream gave none. */
  answer: Schema.NullOr(Schema.Int),
  verifies: Schema.Boolean,
  createdAt: Millis
})
export type ShadowResult = typeof ShadowResult.Type
