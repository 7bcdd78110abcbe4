/** A request of the Responses API as a canonical conversation. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Conversation, type Inexpressible, inexpressible } from "../conversation/Conversation.ts"
import * as ResponsesForm from "./ResponsesForm.ts"
import * as ResponsesItems from "./ResponsesItems.ts"

type Members = Schema.JsonObject

const isSet = (request: Members, name: string): boolean => request[name] !== undefined && request[name] !== null

/** Members that name what the provider stores. */
const storedOf = (request: Members): Inexpressible | undefined => {
  const name = ["previous_response_id", "conversation"].find((name) => isSet(request, name))
  if (name !== undefined) {
    return inexpressible(name, "The conversation is stored with the provider", "continues_stored_conversation")
  }
  return isSet(request, "prompt")
    ? inexpressible("prompt", "The prompt is stored with the provider", "stored_prompt")
    : undefined
}

const itemsOf = ({ input }: Members): Result.Result<ReadonlyArray<Members>, Inexpressible> => {
  if (typeof input === "string") return Result.succeed([{ role: "user", content: input }])
  return Array.isArray(input)
    ? ResponsesItems.read(input, "input")
    : Result.fail(inexpressible("input", "input is a text or a list of items"))
}

export const read = (request: Schema.Json | undefined): Result.Result<Conversation, Inexpressible> => {
  if (!isObject(request)) return Result.fail(inexpressible("input", "The body is no JSON object"))
  const stored = storedOf(request)
  if (stored !== undefined) return Result.fail(stored)
  const { instructions } = request
  const system = typeof instructions === "string" ? [{ role: "system", content: instructions }] : []
  return Result.map(itemsOf(request), (messages) => ({
    messages: [...system, ...messages],
    ...ResponsesForm.read(request)
  }))
}
