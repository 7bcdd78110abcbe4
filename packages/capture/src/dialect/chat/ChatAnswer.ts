/** The message of the first choice of a whole chat completion. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { UnsupportedReason } from "../conversation/Conversation.ts"

/** Finish reasons of incomplete answers. */
const cutOff: ReadonlyArray<unknown> = ["length", "content_filter"]

export const read = (completion: Schema.Json | undefined): Result.Result<Schema.JsonObject, UnsupportedReason> => {
  if (!isObject(completion)) return Result.fail("unreadable")
  const { choices } = completion
  const first: Schema.Json | undefined = Array.isArray(choices) ? choices[0] : undefined
  if (!isObject(first)) return Result.fail("no_answer")
  if (cutOff.includes(first["finish_reason"])) return Result.fail("cut_off")
  const { message } = first
  return isObject(message) ? Result.succeed(message) : Result.fail("no_answer")
}
