/** A request for a chat completion as a canonical conversation. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { present } from "../conversation/ContentRules.ts"
import { type Conversation, type Inexpressible, inexpressible } from "../conversation/Conversation.ts"

export const read = (request: Schema.Json | undefined): Result.Result<Conversation, Inexpressible> => {
  if (!isObject(request)) return Result.fail(inexpressible("messages", "The body is no JSON object"))
  const { function_call, functions, messages, parallel_tool_calls, response_format, tool_choice, tools } = request
  if (!Array.isArray(messages) || messages.length === 0) {
    return Result.fail(inexpressible("messages", "messages is a list of at least one"))
  }
  const form = present({ tools, tool_choice, parallel_tool_calls, response_format, functions, function_call })
  return Result.succeed({ messages, form, inexpressible: [] })
}
