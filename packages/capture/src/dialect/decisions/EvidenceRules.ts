/**
 * The evidence of a request, `input` or `state`, as messages in chat's form (contract 16.20). A text gives equal messages in both
 * dialects.
 */
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { DecisionRequest } from "./DecisionRequest.ts"
import * as PartRules from "./PartRules.ts"
import type { DecisionDialect } from "./Question.ts"

type Message = Schema.JsonObject & { readonly role: string }

const user = (content: Schema.Json): Message => ({ role: "user", content })

const imagePart = (part: Schema.JsonObject): Schema.Json =>
  part["type"] === "input_image"
    ? { type: "image_url", image_url: { url: part["image_url"] ?? "", detail: part["detail"] ?? "auto" } }
    : part

/** Joins parts of text and JSON; images stay separate parts. */
const contentOf = (content: Schema.Json): Schema.Json => {
  if (!Array.isArray(content)) return PartRules.textOfJson(content)
  const texts = PartRules.partTexts(content)
  if (texts !== undefined) return texts.join("\n")
  return content.map((part: Schema.Json) => {
    const text = PartRules.partTexts([part])?.[0]
    if (text !== undefined) return { type: "text", text }
    return isObject(part) ? imagePart(part) : part
  })
}

const toolCall = (id: Schema.Json, call: Schema.JsonObject): Message => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, ...call }]
})

/** An item of OpenAI's `input`; any other form is a user message of its text. */
const messageOf = (item: Schema.Json): Message => {
  if (!isObject(item)) return user(PartRules.textOfJson(item))
  const { arguments: args, call_id, content, input, name, output, role, type } = item
  const id = call_id ?? ""
  if (type === "function_call") {
    return toolCall(id, { type: "function", function: { name: name ?? "", arguments: args ?? "" } })
  }
  if (type === "custom_tool_call") {
    return toolCall(id, { type: "custom", custom: { name: name ?? "", input: input ?? "" } })
  }
  if (type === "function_call_output" || type === "custom_tool_call_output") {
    return { role: "tool", tool_call_id: id, content: contentOf(output ?? "") }
  }
  return typeof role === "string" && content !== undefined
    ? { role, content: contentOf(content) }
    : user(canonicalJson(item))
}

const ofInput = (input: Schema.Json): ReadonlyArray<Message> => {
  if (typeof input === "string") return [user(input)]
  return Array.isArray(input) ? input.map(messageOf) : []
}

const ofState = (state: Schema.Json): ReadonlyArray<Message> => [
  user(typeof state === "string" ? state : canonicalJson(state))
]

/** Empty without evidence. */
export const messagesOf = ({ dialect, members }: DecisionRequest): ReadonlyArray<Message> => {
  const evidence = members[dialect === "openai" ? "input" : "state"]
  if (evidence === undefined || evidence === null) return []
  return dialect === "openai" ? ofInput(evidence) : ofState(evidence)
}

/** An item of OpenAI's `input` for a message of `messageOf`. */
const itemsOf = ({ content = "", role, tool_call_id, tool_calls }: Schema.JsonObject): ReadonlyArray<Schema.Json> => {
  if (Array.isArray(tool_calls)) {
    return tool_calls
      .filter(isObject)
      .map(({ custom, function: called, id = "" }) =>
        isObject(custom)
          ? { type: "custom_tool_call", call_id: id, ...custom }
          : { type: "function_call", call_id: id, ...(isObject(called) ? called : {}) }
      )
  }
  return role === "tool"
    ? [{ type: "function_call_output", call_id: tool_call_id ?? "", output: content }]
    : [{ role: role ?? "user", content }]
}

/** Parses an RFC 8785 object or list; returns any other text unchanged. */
const jsonOf = (text: string): Schema.Json => {
  try {
    const json: Schema.Json = JSON.parse(text)
    return typeof json === "object" && json !== null && canonicalJson(json) === text ? json : text
  } catch {
    return text
  }
}

/** Writes messages as `input` or `state`, the inverse of `messagesOf`; System One takes several messages in a list. */
export const evidenceOf = (dialect: DecisionDialect, messages: ReadonlyArray<Schema.JsonObject>): Schema.JsonObject => {
  const [first] = messages
  const isSingle = messages.length === 1 && first?.["role"] === "user" && first["tool_calls"] === undefined
  const text = isSingle && typeof first?.["content"] === "string" ? first["content"] : undefined
  if (dialect === "openai") return { input: text ?? messages.flatMap(itemsOf) }
  return { state: text === undefined ? messages : jsonOf(text) }
}

const isText = (part: Schema.Json): boolean => isObject(part) && part["type"] === "text"

const hasOtherPart = (messages: ReadonlyArray<Message>): boolean =>
  messages.some(({ content }) => Array.isArray(content) && !content.every(isText))

const isImagePart = (part: Schema.Json): boolean => isObject(part) && /image/u.test(String(part["type"]))

/** Whether the evidence has an image, or assets that only an upstream reads. */
export const hasImage = (request: DecisionRequest): boolean => {
  const { assets, images, state } = request.members
  if (assets !== undefined || images !== undefined) return true
  return (Array.isArray(state) && state.some(isImagePart)) || hasOtherPart(messagesOf(request))
}
