/** Messages of a chat completion as the system and the turns of Anthropic's messages. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { partsOf } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"

type Json = Schema.Json
type Members = Schema.JsonObject
type Blocks = Result.Result<ReadonlyArray<Members>, Inexpressible>

/** The members of a value that may be none. */
const membersOf = (value: Json | undefined): Members => (isObject(value) ? value : {})

const textBlock = (text: string): ReadonlyArray<Members> => (text === "" ? [] : [{ type: "text", text }])

const dataUrl = /^data:([^;,]+);base64,(.*)$/s

const sourceOf = (url: string): Members => {
  const [, media_type, data] = dataUrl.exec(url) ?? []
  return media_type === undefined || data === undefined ? { type: "url", url } : { type: "base64", media_type, data }
}

const fileOf = (file: Members): Members | undefined => {
  const { file_data, file_url, filename } = file
  const url = file_data ?? file_url
  if (typeof url !== "string") return undefined
  const source = sourceOf(url)
  return { type: "document", source, ...(typeof filename === "string" ? { title: filename } : {}) }
}

const blocksOf = (part: Json, param: string): Blocks => {
  const { file, image_url, text, type } = membersOf(part)
  if (type === "text" && typeof text === "string") return Result.succeed(textBlock(text))
  if (type === "image_url" && isObject(image_url) && typeof image_url["url"] === "string") {
    return Result.succeed([{ type: "image", source: sourceOf(image_url["url"]) }])
  }
  const document = type === "file" && isObject(file) ? fileOf(file) : undefined
  return document === undefined
    ? Result.fail(inexpressible(param, "A message of Anthropic has no such part"))
    : Result.succeed([document])
}

const contentOf = (content: Json | undefined, param: string): Blocks => {
  const parts = partsOf(content) ?? (content === undefined || content === null ? [] : undefined)
  if (parts === undefined) return Result.fail(inexpressible(param, "A content is a text or a list of parts"))
  return Result.map(Result.all(parts.map((part, index) => blocksOf(part, `${param}[${index}]`))), (blocks) =>
    blocks.flat()
  )
}

const inputOf = (text: string): Json | undefined => {
  try {
    return text.trim() === "" ? {} : JSON.parse(text)
  } catch {
    return undefined
  }
}

const toolUseOf = (call: Json, param: string): Blocks => {
  const { function: called, id } = membersOf(call)
  const { arguments: args, name } = membersOf(called)
  const input = typeof args === "string" ? inputOf(args) : undefined
  return typeof name === "string" && isObject(input)
    ? Result.succeed([{ type: "tool_use", id: String(id ?? ""), name, input }])
    : Result.fail(inexpressible(param, "A call of Anthropic has a name and a JSON object"))
}

const assistantOf = (message: Members, param: string): Blocks => {
  const { content, refusal, tool_calls } = message
  const said = content ?? refusal
  const calls: ReadonlyArray<Json> = Array.isArray(tool_calls) ? tool_calls : []
  return Result.gen(function* () {
    const texts = yield* contentOf(said, `${param}.content`)
    const uses = yield* Result.all(calls.map((call, index) => toolUseOf(call, `${param}.tool_calls[${index}]`)))
    return [...texts, ...uses.flat()]
  })
}

const resultOf = (message: Members, param: string): Blocks =>
  Result.map(contentOf(message["content"], `${param}.content`), (content) => [
    { type: "tool_result", tool_use_id: String(message["tool_call_id"] ?? ""), content }
  ])

interface Turn {
  readonly role: "user" | "assistant" | "system"
  readonly content: ReadonlyArray<Members>
}

const turnOf = (message: Json, index: number): Result.Result<Turn, Inexpressible> => {
  const param = `messages[${index}]`
  if (!isObject(message)) return Result.fail(inexpressible(param, "A message is an object"))
  const of = (role: Turn["role"], blocks: Blocks) => Result.map(blocks, (content) => ({ role, content }))
  switch (message["role"]) {
    case "system":
    case "developer":
      return of("system", contentOf(message["content"], `${param}.content`))
    case "user":
      return of("user", contentOf(message["content"], `${param}.content`))
    case "assistant":
      return of("assistant", assistantOf(message, param))
    case "tool":
      return of("user", resultOf(message, param))
    default:
      return Result.fail(inexpressible(`${param}.role`, "Anthropic has no such role"))
  }
}

/** Consecutive turns of one role are joined, which puts the results of parallel calls together. */
const joinTurns = (turns: ReadonlyArray<Turn>): ReadonlyArray<Turn> => {
  const all: Array<Turn> = []
  for (const turn of turns) {
    const before = all.at(-1)
    if (before?.role === turn.role) all[all.length - 1] = { ...before, content: [...before.content, ...turn.content] }
    else all.push(turn)
  }
  return all
}

const shown = ({ content, role }: Turn): Members => ({ role, content: content.length === 0 ? "" : content })

/** The members `system` and `messages`. */
export const of = (messages: Json | undefined): Result.Result<Members, Inexpressible> => {
  if (!Array.isArray(messages) || messages.length === 0) {
    return Result.fail(inexpressible("messages", "messages is a list of at least one"))
  }
  return Result.map(Result.all(messages.map(turnOf)), (turns) => {
    const [first, ...rest] = joinTurns(turns)
    if (first?.role !== "system") return { messages: joinTurns(turns).map(shown) }
    return { ...(first.content.length === 0 ? {} : { system: first.content }), messages: rest.map(shown) }
  })
}
