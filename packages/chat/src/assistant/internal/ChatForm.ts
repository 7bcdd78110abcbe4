/** A prompt of `effect/ai` as a chat completion request. Pure. */
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"

type Message = Readonly<Record<string, unknown>>

const textOf = (parts: ReadonlyArray<Prompt.Part>): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("")

const toolCallsOf = (parts: ReadonlyArray<Prompt.Part>) =>
  parts.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: JSON.stringify(part.params) } }]
      : []
  )

const assistantOf = (parts: ReadonlyArray<Prompt.Part>): Message => {
  const calls = toolCallsOf(parts)
  const content = textOf(parts)
  return {
    role: "assistant",
    content: content === "" ? null : content,
    ...(calls.length > 0 ? { tool_calls: calls } : {})
  }
}

const messagesOf = (message: Prompt.Message): ReadonlyArray<Message> => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }]
    case "user":
      return [{ role: "user", content: textOf(message.content) }]
    case "assistant":
      return [assistantOf(message.content)]
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ role: "tool", tool_call_id: part.id, content: JSON.stringify(part.result) }]
          : []
      )
  }
}

const functionOf = (tool: Tool.Any) => ({
  type: "function",
  function: { name: tool.name, description: Tool.getDescription(tool), parameters: Tool.getJsonSchema(tool) }
})

/** The bytes of the request. */
export const bodyOf = (model: string, prompt: Prompt.Prompt, tools: ReadonlyArray<Tool.Any>): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ model, messages: prompt.content.flatMap(messagesOf), tools: tools.map(functionOf) })
  )

/** The input of a requested operation. Text that is no JSON stays text, and the operation refuses it. */
export const inputOf = (text: string): unknown => {
  try {
    return JSON.parse(text === "" ? "{}" : text)
  } catch {
    return { unreadable: text }
  }
}
