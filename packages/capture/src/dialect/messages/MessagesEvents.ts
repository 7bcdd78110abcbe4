/** Reads Anthropic's messages, whole and streamed, as answer events. Thoughts are left out. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { AnswerEvent, AnswerUsage, FinishReason } from "../answer/AnswerEvent.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

const count = (value: Json | undefined): number => (typeof value === "number" && value > 0 ? Math.round(value) : 0)

/** Counts of the input are apart: read from the cache, written to it, and neither. */
const usageOf = (usage: Members): AnswerUsage => {
  const { cache_creation_input_tokens, cache_read_input_tokens, input_tokens, output_tokens } = usage
  const cachedTokens = count(cache_read_input_tokens)
  const cacheWriteTokens = count(cache_creation_input_tokens)
  const details = usage["output_tokens_details"]
  return {
    inputTokens: count(input_tokens) + cachedTokens + cacheWriteTokens,
    cachedTokens,
    cacheWriteTokens,
    outputTokens: count(output_tokens),
    reasoningTokens: isObject(details) ? count(details["thinking_tokens"] ?? details["reasoning_tokens"]) : 0
  }
}

const reasons: Readonly<Record<string, FinishReason>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter"
}

const finishOf = (reason: Json | undefined): ReadonlyArray<AnswerEvent> =>
  typeof reason === "string" ? [{ type: "finish", reason: reasons[reason] ?? "stop" }] : []

const begun = (block: Json | undefined, index: number): ReadonlyArray<AnswerEvent> => {
  if (!isObject(block) || block["type"] !== "tool_use") return []
  return [{ type: "call", index, id: String(block["id"] ?? ""), name: String(block["name"] ?? ""), kind: "function" }]
}

const blockOf = (block: Json, index: number): ReadonlyArray<AnswerEvent> => {
  if (!isObject(block)) return []
  const { input, text, type } = block
  if (type === "text" && typeof text === "string") return [{ type: "text", text }]
  const call = begun(block, index)
  return call.length === 0 ? [] : [...call, { type: "arguments", index, text: JSON.stringify(input ?? {}) }]
}

/** The events of a whole message; undefined if it is none. */
export const ofWhole = (message: Json | undefined): ReadonlyArray<AnswerEvent> | undefined => {
  if (!isObject(message) || !Array.isArray(message["content"])) return undefined
  const { content, stop_reason, usage } = message
  return [
    ...content.flatMap(blockOf),
    ...(isObject(usage) ? [{ type: "usage" as const, usage: usageOf(usage) }] : []),
    ...finishOf(stop_reason)
  ]
}

const deltaOf = (delta: Json | undefined, index: number): ReadonlyArray<AnswerEvent> => {
  if (!isObject(delta)) return []
  const { partial_json, text, type } = delta
  if (type === "text_delta" && typeof text === "string") return [{ type: "text", text }]
  return type === "input_json_delta" && typeof partial_json === "string" && partial_json !== ""
    ? [{ type: "arguments", index, text: partial_json }]
    : []
}

/** Reads the events of one stream, in order. */
export class MessagesStreamReader {
  /** Counts of the end replace those of the beginning. */
  #usage: Members = {}

  read(event: Json | undefined): ReadonlyArray<AnswerEvent> {
    if (!isObject(event)) return []
    const { content_block, delta, error, message, type } = event
    const index = typeof event["index"] === "number" ? event["index"] : 0
    switch (type) {
      case "message_start":
        this.#count(isObject(message) ? message["usage"] : undefined)
        return []
      case "content_block_start":
        return begun(content_block, index)
      case "content_block_delta":
        return deltaOf(delta, index)
      case "message_delta":
        this.#count(event["usage"])
        return [
          { type: "usage", usage: usageOf(this.#usage) },
          ...finishOf(isObject(delta) ? delta["stop_reason"] : undefined)
        ]
      case "error":
        return [{ type: "error", message: isObject(error) ? String(error["message"] ?? "") : "The upstream failed" }]
      default:
        return []
    }
  }

  #count(usage: Json | undefined): void {
    if (!isObject(usage)) return
    const counted: Record<string, Json> = { ...this.#usage }
    for (const [name, value] of Object.entries(usage)) if (value !== null && value !== undefined) counted[name] = value
    this.#usage = counted
  }
}
