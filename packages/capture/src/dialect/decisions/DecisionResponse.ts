/** Responses to requests for decisions that a student answers, alone or together with an upstream (contract 16.22 to 16.24). */
import * as Body from "@limbeck/core/bytes/Body"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import { isObject } from "@limbeck/core/json/Json"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { CaptureLimits } from "../../Limits.ts"
import { UpstreamFailure, type UpstreamResponse } from "../../upstream/Upstream.ts"
import * as AnswerHeaders from "../AnswerHeaders.ts"
import * as AnswerRules from "./AnswerRules.ts"
import type { DecisionRequest } from "./DecisionRequest.ts"
import * as SplitRules from "./SplitRules.ts"

/** What the response says of itself. */
export interface DecisionHead {
  /** As the client named it. */
  readonly model: string
  readonly inputTokens: number
}

type Members = ReadonlyArray<Schema.JsonObject>

const encoder = new TextEncoder()

const jsonResponse = (body: Schema.JsonObject, headers: UpstreamResponse["headers"] = {}): UpstreamResponse => {
  const bytes = encoder.encode(JSON.stringify(body))
  return {
    status: 200,
    headers: { ...headers, "content-type": "application/json", "content-length": String(bytes.length) },
    body: Body.whole(bytes)
  }
}

/** Decisions have no output. */
const usageOf = ({ dialect }: DecisionRequest, inputTokens: number): Schema.JsonObject =>
  dialect === "systemone"
    ? { input_tokens: inputTokens, output_tokens: 0 }
    : {
        input_tokens: inputTokens,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 0,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: inputTokens
      }

/** `members`: of all questions, in the order of the request. */
export const ofStudent = (
  request: DecisionRequest,
  { inputTokens, model }: DecisionHead,
  members: Members
): UpstreamResponse =>
  jsonResponse({ model, answers: AnswerRules.write(request, members), usage: usageOf(request, inputTokens) })

const invalidAnswer = () => new UpstreamFailure({ reason: "invalid_response" })

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/**
 * The upstream's response to its part, with the answers to all questions; other members and the usage are the upstream's.
 * `students`: the members of the student's positions. Fails with `invalid_response` unless each question of the part has an answer.
 */
export const mixResponse = Effect.fnUntraced(function* (
  request: DecisionRequest,
  split: SplitRules.Split,
  model: string,
  students: Members,
  response: UpstreamResponse
): Effect.fn.Return<UpstreamResponse, UpstreamFailure> {
  const { "content-encoding": coding = "identity" } = response.headers
  if (coding !== "identity") return yield* invalidAnswer()
  const bytes = yield* Bytes.whole(Body.toStream(response.body), CaptureLimits.answerBytesMax, invalidAnswer)
  const body = parsed(bytes)
  const upstreams = SplitRules.membersOf(SplitRules.partOf(request, split.upstream), body)
  if (!isObject(body) || upstreams === undefined) return yield* invalidAnswer()
  const answers = AnswerRules.write(request, SplitRules.mergeMembers(split, students, upstreams))
  return jsonResponse({ ...body, model, answers }, AnswerHeaders.forward(response))
})
