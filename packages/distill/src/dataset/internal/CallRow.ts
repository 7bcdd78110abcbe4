/**
 * What a captured chat completion teaches: the row of a dataset, as JSON text. Labels of the call (tags, external id, time)
 * stay with the call, and so does what only tunes it (temperature, a user's name), so that the same question and answer are
 * the same row however often they were captured.
 */

import type { ScannedCall } from "@limbeck/capture/call/CallStore"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { isObject } from "@limbeck/core/json/Json"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"

/** What the request says of how an answer may look. */
const kept = ["tools", "tool_choice", "parallel_tool_calls", "response_format", "functions", "function_call"] as const

/** What an assistant says; the rest of a message is the provider's own. */
const said = ["content", "refusal", "tool_calls", "function_call"] as const

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** The text of a message with text alone; undefined for an empty message. */
const completionOf = (message: Schema.JsonObject): unknown => {
  const completion: Record<string, unknown> = { role: "assistant" }
  let members = 0
  for (const name of said) {
    const value = message[name]
    if (isEmpty(value)) continue
    completion[name] = value
    members++
  }
  if (members === 0) return undefined
  return members === 1 && typeof completion["content"] === "string" ? completion["content"] : completion
}

/** Finish reasons of incomplete answers. */
const cutOff: ReadonlyArray<unknown> = ["length", "content_filter"]

const answerOf = (response: unknown): Schema.JsonObject | undefined => {
  const choices = isObject(response) ? response["choices"] : undefined
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (!isObject(first) || cutOff.includes(first["finish_reason"])) return undefined
  const message = first["message"]
  return isObject(message) ? message : undefined
}

const parse = (text: string): unknown => {
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

function* isTooMuch({ request, response, truncated }: Omit<ScannedCall, "id">): Turns.Steps<boolean> {
  if (truncated) return true
  for (const text of [request, response ?? ""]) {
    if ((yield* JsonShape.excessSteps(text, shapeMax)) !== undefined) return true
  }
  return false
}

/** Undefined: nothing is to be learnt from it. Null: it is too large, or has too many members, to be a row. */
export function* reading(call: Omit<ScannedCall, "id">): Turns.Steps<string | null | undefined> {
  yield callCost
  if (yield* isTooMuch(call)) return null
  if (!call.requestIsJson || !call.responseIsJson || call.response === null) return undefined
  const answer = answerOf(parse(call.response))
  yield call.response.length
  const completion = answer === undefined ? undefined : completionOf(answer)
  if (completion === undefined) return undefined
  const request = parse(call.request)
  yield call.request.length
  const messages = isObject(request) ? request["messages"] : undefined
  if (!isObject(request) || !Array.isArray(messages) || messages.length === 0) return undefined
  const row: Record<string, unknown> = { messages }
  for (const name of kept) if (!isEmpty(request[name])) row[name] = request[name]
  row["completion"] = completion
  return JSON.stringify(row)
}

/** `reading` of matching calls, undefined for others. Its costs include the search of both bodies. */
export const readingWhere = (isMatch: (call: Omit<ScannedCall, "id">) => boolean) =>
  function* (call: Omit<ScannedCall, "id">): Turns.Steps<string | null | undefined> {
    yield call.request.length + (call.response?.length ?? 0)
    return isMatch(call) ? yield* reading(call) : undefined
  }
