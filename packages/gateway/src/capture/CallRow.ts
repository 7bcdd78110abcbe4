/**
 * What a captured chat completion teaches: the row of a dataset, as JSON text. Labels of the call (tags, external id, time)
 * stay with the call, and so does what only tunes it (temperature, a user's name), so that the same question and answer are
 * the same row however often they were captured.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { ScannedCall } from "./CallStore.ts"

/** What the request says of how an answer may look. */
const kept = ["tools", "tool_choice", "parallel_tool_calls", "response_format", "functions", "function_call"] as const

/** What an assistant says; the rest of a message is the provider's own. */
const said = ["content", "refusal", "tool_calls", "function_call"] as const

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** Its text where it is nothing else; undefined where it says nothing. */
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

/** Why an answer ended that is not all that was to be said. */
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

/** Null: nothing is to be learnt from it. */
export const ofCall = (call: Omit<ScannedCall, "id">): string | null => {
  if (!call.requestIsJson || !call.responseIsJson || call.response === null) return null
  const answer = answerOf(parse(call.response))
  const completion = answer === undefined ? undefined : completionOf(answer)
  if (completion === undefined) return null
  const request = parse(call.request)
  const messages = isObject(request) ? request["messages"] : undefined
  if (!isObject(request) || !Array.isArray(messages) || messages.length === 0) return null
  const row: Record<string, unknown> = { messages }
  for (const name of kept) if (!isEmpty(request[name])) row[name] = request[name]
  row["completion"] = completion
  try {
    return JSON.stringify(row)
  } catch {
    // Nested deeper than the stack.
    return null
  }
}
