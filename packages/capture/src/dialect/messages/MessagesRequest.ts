/** A request of Anthropic's messages as a canonical conversation. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Conversation, type Inexpressible, inexpressible } from "../conversation/Conversation.ts"
import * as MessagesContent from "./MessagesContent.ts"
import * as MessagesForm from "./MessagesForm.ts"
import * as MessagesTurns from "./MessagesTurns.ts"

type Members = Schema.JsonObject

const systemOf = ({ system }: Members): Result.Result<ReadonlyArray<Members>, Inexpressible> =>
  system === undefined || system === null || (Array.isArray(system) && system.length === 0)
    ? Result.succeed([])
    : Result.map(MessagesContent.read(system, "system"), (content) => [{ role: "system", content }])

export const read = (request: Schema.Json | undefined): Result.Result<Conversation, Inexpressible> => {
  if (!isObject(request)) return Result.fail(inexpressible("messages", "The body is no JSON object"))
  const { messages } = request
  if (!Array.isArray(messages) || messages.length === 0) {
    return Result.fail(inexpressible("messages", "messages is a list of at least one"))
  }
  return Result.gen(function* () {
    const system = yield* systemOf(request)
    const turns = yield* MessagesTurns.read(messages)
    return { messages: [...system, ...turns], ...MessagesForm.read(request) }
  })
}
