/** Writes an answer as a message of Anthropic, whole or as named events. */
import type * as Schema from "effect/Schema"
import type { AnswerEvent, AnswerUsage, FinishReason } from "../answer/AnswerEvent.ts"
import {
  type AnswerHead,
  type AnswerWriter,
  json,
  type StreamWriter,
  unfinishedMessage
} from "../answer/AnswerWriter.ts"
import { type GatheredCall, gather } from "../answer/GatheredAnswer.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

const noUsage: AnswerUsage = {
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0
}

const usageOf = ({ cachedTokens, cacheWriteTokens, inputTokens, outputTokens }: AnswerUsage): Members => ({
  input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
  cache_creation_input_tokens: cacheWriteTokens,
  cache_read_input_tokens: cachedTokens,
  output_tokens: outputTokens
})

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal"
}

const messageOf = ({ id, model, service }: AnswerHead, content: ReadonlyArray<Json>): Members => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: null,
  stop_sequence: null,
  ...(service === undefined ? {} : { service })
})

const inputOf = (text: string): Json => {
  try {
    return text === "" ? {} : JSON.parse(text)
  } catch {
    return text
  }
}

const toolUse = ({ id, name }: Pick<GatheredCall, "id" | "name">, input: Json): Members => ({
  type: "tool_use",
  id,
  name,
  input
})

const whole = (head: AnswerHead, events: ReadonlyArray<AnswerEvent>): Members => {
  const { calls, reason, refusal, text, usage } = gather(events)
  const said = refusal ?? text
  const content = [
    ...(said === null || (said === "" && calls.length > 0) ? [] : [{ type: "text", text: said }]),
    ...calls.map((call) => toolUse(call, inputOf(call.arguments)))
  ]
  const stop_reason = refusal === null ? stopReasons[reason] : stopReasons.content_filter
  return { ...messageOf(head, content), stop_reason, usage: usageOf(usage ?? noUsage) }
}

const event = (data: Members): string => `event: ${String(data["type"])}\ndata: ${json(data)}\n\n`

/** One block is open at a time: the text, or a call. */
class MessagesStreamWriter implements StreamWriter {
  readonly #head: AnswerHead
  readonly #places = new Map<number, number>()
  #blocks = 0
  #open: "text" | number | null = null
  #isBegun = false
  #usage: AnswerUsage | null = null
  #reason: FinishReason | null = null
  #error: string | null = null
  #isRefusal = false

  constructor(head: AnswerHead) {
    this.#head = head
  }

  write(piece: AnswerEvent): string {
    switch (piece.type) {
      case "refusal":
        this.#isRefusal = true
        return this.#text(piece.text)
      case "text":
        return this.#text(piece.text)
      case "call":
        return this.#begin() + this.#start(piece.index, toolUse(piece, {}))
      case "arguments": {
        const index = this.#places.get(piece.index) ?? this.#blocks - 1
        const delta = { type: "input_json_delta", partial_json: piece.text }
        return event({ type: "content_block_delta", index, delta })
      }
      case "finish":
        this.#reason = piece.reason
        return ""
      case "usage":
        this.#usage = piece.usage
        return ""
      case "error":
        this.#error = piece.message
        return ""
    }
  }

  end(): string {
    if (this.#error !== null || this.#reason === null) {
      return event({ type: "error", error: { type: "api_error", message: this.#error ?? unfinishedMessage } })
    }
    const stop_reason = stopReasons[this.#isRefusal ? "content_filter" : this.#reason]
    const delta = { stop_reason, stop_sequence: null }
    const usage = usageOf(this.#usage ?? noUsage)
    return `${this.#begin()}${this.#stop()}${event({ type: "message_delta", delta, usage })}${event({ type: "message_stop" })}`
  }

  #begin(): string {
    if (this.#isBegun) return ""
    this.#isBegun = true
    const usage = usageOf({ ...(this.#usage ?? noUsage), outputTokens: 0 })
    return event({ type: "message_start", message: { ...messageOf(this.#head, []), usage } })
  }

  #text(text: string): string {
    const opening = this.#open === "text" ? "" : this.#start("text", { type: "text", text: "" })
    const delta = { type: "text_delta", text }
    return this.#begin() + opening + event({ type: "content_block_delta", index: this.#blocks - 1, delta })
  }

  #start(block: "text" | number, content_block: Members): string {
    const stop = this.#stop()
    const index = this.#blocks++
    if (block !== "text") this.#places.set(block, index)
    this.#open = block
    return stop + event({ type: "content_block_start", index, content_block })
  }

  #stop(): string {
    if (this.#open === null) return ""
    this.#open = null
    return event({ type: "content_block_stop", index: this.#blocks - 1 })
  }
}

export const writer: AnswerWriter = { whole, stream: (head) => new MessagesStreamWriter(head) }
