/** Items of the Responses API, of an input or an output, as messages of a chat completion. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"
import { customCall, functionCall } from "../conversation/ToolRules.ts"
import * as ResponsesContent from "./ResponsesContent.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

const textOr = (value: Json | undefined, otherwise: string): string => (typeof value === "string" ? value : otherwise)

const callOf = (item: Members): Members => {
  const id = textOr(item["call_id"], textOr(item["id"], ""))
  const name = textOr(item["name"], "")
  return item["type"] === "custom_tool_call"
    ? customCall(id, name, textOr(item["input"], ""))
    : functionCall(id, name, textOr(item["arguments"], ""))
}

/** Adds a call to the assistant's turn before it, or begins one. */
const addCall = (messages: Array<Members>, item: Members): void => {
  const before = messages.at(-1)
  const call = callOf(item)
  if (before?.["role"] !== "assistant") {
    messages.push({ role: "assistant", content: null, tool_calls: [call] })
    return
  }
  const calls = before["tool_calls"]
  messages[messages.length - 1] = { ...before, tool_calls: Array.isArray(calls) ? [...calls, call] : [call] }
}

const roles: ReadonlyArray<Json | undefined> = ["user", "assistant", "system", "developer"]

/** An assistant's content is one text, and its refusal a member of its own, as stock servers accept them. */
const assistant = (content: Json): Members => {
  if (!Array.isArray(content)) return { role: "assistant", content }
  const of = (type: string) => content.flatMap((part: Json) => (isObject(part) && part["type"] === type ? [part] : []))
  const refusals = of("refusal").map(({ refusal }) => refusal)
  const text = of("text")
    .map(({ text }) => text)
    .join("")
  if (refusals.length === 0) return { role: "assistant", content: text }
  return { role: "assistant", content: text === "" ? null : text, refusal: refusals.join("") }
}

const messageOf = (item: Members, param: string): Result.Result<Members, Inexpressible> => {
  const { role } = item
  if (!roles.includes(role)) return Result.fail(inexpressible(`${param}.role`, "A message has a role"))
  return Result.map(ResponsesContent.read(item["content"], `${param}.content`), (content) =>
    role === "assistant" ? assistant(content) : { role: role ?? "user", content }
  )
}

const outputOf = (item: Members, param: string): Result.Result<Members, Inexpressible> =>
  Result.map(ResponsesContent.read(item["output"], `${param}.output`), (content) => ({
    role: "tool",
    tool_call_id: textOr(item["call_id"], ""),
    content
  }))

const refusalOf = (type: Json | undefined, param: string): Inexpressible =>
  type === "item_reference"
    ? inexpressible(param, "The item is stored with the provider", "continues_stored_conversation")
    : inexpressible(param, `A chat completion has no ${textOr(type, "such item")}`, "provider_tool")

/** The messages that items make, thoughts left out. `param`: the path of the list. */
export const read = (
  items: ReadonlyArray<Json>,
  param: string
): Result.Result<ReadonlyArray<Members>, Inexpressible> => {
  const messages: Array<Members> = []
  for (const [index, item] of items.entries()) {
    const at = `${param}[${index}]`
    if (!isObject(item)) return Result.fail(inexpressible(at, "An item is an object"))
    const { type = "message" } = item
    if (type === "reasoning") continue
    if (type === "function_call" || type === "custom_tool_call") {
      addCall(messages, item)
      continue
    }
    const isOutput = type === "function_call_output" || type === "custom_tool_call_output"
    if (!isOutput && type !== "message") return Result.fail(refusalOf(type, at))
    const message = isOutput ? outputOf(item, at) : messageOf(item, at)
    if (Result.isFailure(message)) return Result.fail(message.failure)
    messages.push(message.success)
  }
  return Result.succeed(messages)
}
