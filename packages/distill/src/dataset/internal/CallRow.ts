/**
 * What a captured call teaches: the row of a dataset, as JSON text. Labels of the call (tags, external id, time)
 * stay with the call, and so does what only tunes it (temperature, a user's name), so that the same question and answer are
 * the same row however often they were captured, and in whatever dialect.
 */

import type { ScannedCall } from "@limbeck/capture/call/CallStore"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import type { UnsupportedReason } from "@limbeck/capture/dialect/Conversation"
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import type * as Turns from "@limbeck/core/turns/Turns"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as DecisionLine from "./DecisionLine.ts"
import type { RowLine, RowOrigin } from "./RowLine.ts"

/** A call that cannot be a row. */
export interface UnsupportedCall {
  readonly reason: UnsupportedReason
  readonly calls: number
}

export type CallLine = RowLine | DecisionLine.DecisionLine | UnsupportedCall

export const isUnsupported = (line: CallLine): line is UnsupportedCall => "reason" in line

export const isDecisionLine = (line: CallLine): line is DecisionLine.DecisionLine => "questions" in line

type Call = Omit<ScannedCall, "id">

/** The weight of a call's row. */
export type WeightOf = (call: Pick<Call, "verifies">) => number

const originOf = ({ servedBy, verifies }: Call): RowOrigin | null => {
  if (verifies !== undefined) return "verified"
  if (servedBy === "student") return null
  return servedBy === "upstream_fallback" || servedBy === "mixed" ? "fallback" : "upstream"
}

/** Of a request that student and upstream answered together: the upstream's answers alone. */
const ofUpstream = (
  line: DecisionLine.DecisionLine,
  decisions: Call["decisions"]
): Result.Result<DecisionLine.DecisionLine, UnsupportedReason> => {
  // Both have an entry for each question with a form inside, in the order of the request.
  if (decisions?.length !== line.questions.length) return Result.fail("unreadable")
  const questions = line.questions.filter((_, at) => decisions[at]?.served_by === "upstream")
  const isAnswered = questions.some(({ answer }) => answer.probabilities !== null || answer.refusal)
  return isAnswered ? Result.succeed({ ...line, questions }) : Result.fail("no_answer")
}

const unsupported = (reason: UnsupportedReason): UnsupportedCall => ({ reason, calls: 1 })

const parse = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Deeper than any row, and shallow enough to be read and written by functions that call themselves. */
const shapeMax: JsonShape.ShapeMax = { depth: CaptureLimits.shownDepthMax, members: CaptureLimits.learntMembersMax }

/** The minimum cost of a call, in characters. */
const callCost = 200

function* isTooMuch({ request, response, truncated }: Call): Turns.Steps<boolean> {
  if (truncated) return true
  for (const text of [request, response ?? ""]) {
    if ((yield* JsonShape.excessSteps(text, shapeMax)) !== undefined) return true
  }
  return false
}

export function* reading(call: Call, weightOf: WeightOf): Turns.Steps<CallLine> {
  yield callCost
  const { endpoint, request, response } = call
  const refusal = CallConversation.refusalOf(endpoint)
  if (refusal !== undefined) return unsupported(refusal)
  const origin = originOf(call)
  if (yield* isTooMuch(call)) return { text: null, origin }
  if (response === null) return unsupported("no_answer")
  if (!call.requestIsJson || !call.responseIsJson) return unsupported("unreadable")
  const answer = parse(response)
  yield response.length
  const asked = parse(request)
  yield request.length
  if (!CallConversation.isConversation(endpoint)) {
    const pair = Result.mapError(DecisionLine.ofPair(asked, answer), ({ reason }) => reason)
    const line = call.servedBy === "mixed" ? Result.flatMap(pair, (read) => ofUpstream(read, call.decisions)) : pair
    return Result.isSuccess(line) ? { ...line.success, origin } : unsupported(line.failure)
  }
  const row = CallConversation.rowOf(endpoint, asked, answer)
  return Result.isSuccess(row)
    ? { text: JSON.stringify({ ...row.success, weight: weightOf(call) }), origin }
    : unsupported(row.failure)
}

/** `reading` of matching calls, undefined for others. Its costs include the search of both bodies. */
export const readingWhere = (isMatch: (call: Call) => boolean) =>
  function* (call: Call, weightOf: WeightOf): Turns.Steps<CallLine | undefined> {
    yield call.request.length + (call.response?.length ?? 0)
    return isMatch(call) ? yield* reading(call, weightOf) : undefined
  }
