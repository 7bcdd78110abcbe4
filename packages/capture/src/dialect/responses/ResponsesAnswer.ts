/** The assistant's message of a whole response. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { UnsupportedReason } from "../conversation/Conversation.ts"
import * as ResponsesItems from "./ResponsesItems.ts"

type Members = Schema.JsonObject

const joined = (messages: ReadonlyArray<Members>): Members => {
  const texts = messages.flatMap(({ content }) => (typeof content === "string" ? [content] : []))
  const refusals = messages.flatMap(({ refusal }) => (typeof refusal === "string" ? [refusal] : []))
  const calls = messages.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []))
  return {
    role: "assistant",
    content: texts.length === 0 ? null : texts.join("\n\n"),
    ...(refusals.length === 0 ? {} : { refusal: refusals.join("") }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

/** Of an incomplete response, and of one that the provider still works on, there is no message. */
export const read = (response: Schema.Json | undefined): Result.Result<Members, UnsupportedReason> => {
  if (!isObject(response)) return Result.fail("unreadable")
  const { output, status } = response
  if (status === "incomplete") return Result.fail("cut_off")
  if (status === "queued" || status === "in_progress") return Result.fail("not_finished")
  if (!Array.isArray(output)) return Result.fail("no_answer")
  return Result.mapBoth(ResponsesItems.read(output, "output"), {
    onSuccess: joined,
    onFailure: ({ reason }) => reason
  })
}
