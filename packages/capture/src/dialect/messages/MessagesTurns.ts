/** Turns of Anthropic's messages as messages of a chat completion. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { contentOf } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"
import { functionCall } from "../conversation/ToolRules.ts"
import * as MessagesContent from "./MessagesContent.ts"

type Json = Schema.Json
type Members = Schema.JsonObject
type Messages = Result.Result<ReadonlyArray<Members>, Inexpressible>

const thoughts: ReadonlyArray<Json | undefined> = ["thinking", "redacted_thinking"]

const isOf = (block: Json, type: string): block is Members => isObject(block) && block["type"] === type

const callOf = ({ id, input, name }: Members): Members =>
  functionCall(String(id ?? ""), String(name ?? ""), JSON.stringify(input ?? {}))

/** Blocks of tools that the provider runs itself. */
const providerTool = (block: Json): boolean => {
  const type = isObject(block) ? block["type"] : undefined
  return (
    typeof type === "string" && (/_tool_result$|^server_tool_use$|^mcp_tool/.test(type) || type === "container_upload")
  )
}

/** An assistant's turn: its texts joined, and its calls in order. Thoughts are left out. */
export const assistant = (content: Json | undefined, param: string): Result.Result<Members, Inexpressible> => {
  if (typeof content === "string") return Result.succeed({ role: "assistant", content })
  if (!Array.isArray(content)) return Result.fail(inexpressible(param, "A content is a text or a list of blocks"))
  const texts: Array<string> = []
  const calls: Array<Members> = []
  for (const [index, block] of content.entries()) {
    const at = `${param}[${index}]`
    if (isOf(block, "tool_use")) calls.push(callOf(block))
    else if (isOf(block, "text") && typeof block["text"] === "string") texts.push(block["text"])
    else if (providerTool(block)) {
      return Result.fail(inexpressible(at, "The provider ran this tool itself", "provider_tool"))
    } else if (!isObject(block) || !thoughts.includes(block["type"])) {
      return Result.fail(inexpressible(at, "A chat completion has no such block"))
    }
  }
  return Result.succeed({
    role: "assistant",
    content: texts.length === 0 ? null : texts.join(""),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  })
}

const resultOf = (block: Members, param: string): Result.Result<Members, Inexpressible> =>
  Result.map(MessagesContent.read(block["content"], `${param}.content`), (content) => ({
    role: "tool",
    tool_call_id: String(block["tool_use_id"] ?? ""),
    content
  }))

/** A user's turn: each result of a tool is a message, and so are the blocks between them. */
const user = (content: Json | undefined, param: string): Messages => {
  if (!Array.isArray(content)) {
    return Result.map(MessagesContent.read(content, param), (text) => [{ role: "user", content: text }])
  }
  return Result.gen(function* () {
    const messages: Array<Members> = []
    let parts: ReadonlyArray<Json> = []
    const flush = () => {
      if (parts.length > 0) messages.push({ role: "user", content: contentOf(parts) })
      parts = []
    }
    for (const [index, block] of content.entries()) {
      const at = `${param}[${index}]`
      if (providerTool(block)) {
        if (!isOf(block, "tool_result")) {
          return yield* Result.fail(inexpressible(at, "The provider ran this tool itself", "provider_tool"))
        }
      }
      if (isOf(block, "tool_result")) {
        flush()
        messages.push(yield* resultOf(block, at))
      } else {
        const [part] = yield* Result.mapError(MessagesContent.readParts([block], param), (fault) => ({
          ...fault,
          param: at
        }))
        if (part !== undefined) parts = [...parts, part]
      }
    }
    flush()
    return messages.length === 0 ? [{ role: "user", content: "" }] : messages
  })
}

const turn = (message: Json, param: string): Messages => {
  if (!isObject(message)) return Result.fail(inexpressible(param, "A message is an object"))
  const { content, role } = message
  switch (role) {
    case "user":
      return user(content, `${param}.content`)
    case "assistant":
      return Result.map(assistant(content, `${param}.content`), (said) => [said])
    case "system":
      return Result.map(MessagesContent.read(content, `${param}.content`), (text) => [{ role, content: text }])
    default:
      return Result.fail(inexpressible(`${param}.role`, "A message's role is user or assistant"))
  }
}

export const read = (messages: ReadonlyArray<Json>): Messages =>
  Result.map(Result.all(messages.map((message, index) => turn(message, `messages[${index}]`))), (turns) => turns.flat())
