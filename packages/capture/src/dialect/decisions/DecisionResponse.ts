/** Responses to requests for decisions that a student answers, alone or together with an upstream (contract 16.22 to 16.24). */
import { isObject } from "@limbeck/core/json/Json"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { UpstreamFailure, UpstreamResponse } from "../../upstream/Upstream.ts"
import * as AnswerBody from "../AnswerBody.ts"
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
  AnswerBody.write({ model, answers: AnswerRules.write(request, members), usage: usageOf(request, inputTokens) })

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
  const body = yield* AnswerBody.read(response)
  const upstreams = SplitRules.membersOf(SplitRules.partOf(request, split.upstream), body)
  if (!isObject(body) || upstreams === undefined) return yield* AnswerBody.invalidAnswer()
  const answers = AnswerRules.write(request, SplitRules.mergeMembers(split, students, upstreams))
  return AnswerBody.write({ ...body, model, answers }, AnswerHeaders.forward(response))
})
