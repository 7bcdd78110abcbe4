/** Writes an answer as a chat completion, whole or as chunks. */
import { isObject } from "@limbeck/core/json/Json"
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
import { customCall, functionCall } from "../conversation/ToolRules.ts"

type Members = Schema.JsonObject

const usageOf = ({ cachedTokens, cacheWriteTokens, inputTokens, outputTokens, reasoningTokens }: AnswerUsage) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: {
    cached_tokens: cachedTokens,
    ...(cacheWriteTokens > 0 ? { cache_write_tokens: cacheWriteTokens } : {})
  },
  completion_tokens_details: { reasoning_tokens: reasoningTokens }
})

const headOf = ({ createdAt, id, model, service }: AnswerHead, object: string) => ({
  id: `chatcmpl-${id}`,
  object,
  created: Math.floor(createdAt / 1_000),
  model,
  ...(service === undefined ? {} : { service })
})

const callOf = ({ arguments: args, id, kind, name }: GatheredCall): Members =>
  kind === "custom" ? customCall(id, name, args) : functionCall(id, name, args)

const whole = (head: AnswerHead, events: ReadonlyArray<AnswerEvent>): Members => {
  const { calls, reason, refusal, text, usage } = gather(events)
  const message = {
    role: "assistant",
    content: text,
    refusal,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) })
  }
  return {
    ...headOf(head, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    ...(usage === null ? {} : { usage: usageOf(usage) })
  }
}

class ChatStreamWriter implements StreamWriter {
  readonly #head: AnswerHead
  readonly #includesUsage: boolean
  /** Places of calls in the answer, by the index that the upstream gave them. */
  readonly #calls = new Map<number, { readonly place: number; readonly kind: "function" | "custom" }>()
  #isOpen = false
  #usage: AnswerUsage | null = null
  #reason: FinishReason | null = null
  #error: string | null = null

  constructor(head: AnswerHead) {
    const options = head.request["stream_options"]
    this.#head = head
    this.#includesUsage = isObject(options) && options["include_usage"] === true
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case "text":
        return this.#delta({ content: event.text })
      case "refusal":
        return this.#delta({ refusal: event.text })
      case "call": {
        const { id, index, kind, name } = event
        const place = this.#calls.size
        this.#calls.set(index, { place, kind })
        const call = kind === "custom" ? customCall(id, name, "") : functionCall(id, name, "")
        return this.#delta({ tool_calls: [{ index: place, ...call }] })
      }
      case "arguments": {
        const { kind = "function", place = 0 } = this.#calls.get(event.index) ?? {}
        const piece = kind === "custom" ? { custom: { input: event.text } } : { function: { arguments: event.text } }
        return this.#delta({ tool_calls: [{ index: place, ...piece }] })
      }
      case "finish":
        this.#reason = event.reason
        return ""
      case "usage":
        this.#usage = event.usage
        return ""
      case "error":
        this.#error = event.message
        return ""
    }
  }

  end(): string {
    if (this.#error !== null || this.#reason === null) {
      const error = { message: this.#error ?? unfinishedMessage, type: "api_error", code: "api_error", param: null }
      return `data: ${json({ error })}\n\n`
    }
    const usage = this.#usage === null ? null : usageOf(this.#usage)
    const choice = { index: 0, delta: {}, logprobs: null, finish_reason: this.#reason }
    // Counts that the client did not ask for stand beside the last choice, where a price is read from them.
    const last = this.#chunk([choice], this.#includesUsage ? null : usage)
    const counts = this.#includesUsage ? this.#chunk([], usage) : ""
    return `${this.#opening()}${last}${counts}data: [DONE]\n\n`
  }

  #opening(): string {
    if (this.#isOpen) return ""
    this.#isOpen = true
    const delta = { role: "assistant", content: "", refusal: null }
    return this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: null }], null)
  }

  #delta(delta: Members): string {
    return this.#opening() + this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: null }], null)
  }

  #chunk(choices: ReadonlyArray<unknown>, usage: unknown): string {
    const counts = this.#includesUsage || usage !== null ? { usage } : {}
    return `data: ${json({ ...headOf(this.#head, "chat.completion.chunk"), choices, ...counts })}\n\n`
  }
}

export const writer: AnswerWriter = { whole, stream: (head) => new ChatStreamWriter(head) }
