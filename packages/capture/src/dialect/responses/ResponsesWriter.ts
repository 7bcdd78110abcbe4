/** Writes an answer as a response, whole or as typed events with sequence numbers. */
import type * as Schema from "effect/Schema"
import type { AnswerEvent, AnswerUsage, FinishReason } from "../answer/AnswerEvent.ts"
import {
  type AnswerHead,
  type AnswerWriter,
  json,
  type StreamWriter,
  unfinishedMessage
} from "../answer/AnswerWriter.ts"
import { type GatheredAnswer, type GatheredCall, gather } from "../answer/GatheredAnswer.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

const usageOf = ({ cachedTokens, cacheWriteTokens, inputTokens, outputTokens, reasoningTokens }: AnswerUsage) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: inputTokens + outputTokens
})

/** Members of the request that a response repeats, with their defaults. */
const echoDefaults: Members = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: null,
  temperature: null,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: null,
  truncation: "disabled"
}

const repeatedOf = (request: Members): Members => {
  const members: Record<string, Json> = {}
  for (const name in echoDefaults) members[name] = request[name] ?? echoDefaults[name] ?? null
  return members
}

const responseOf = (
  { createdAt, id, model, request, service }: AnswerHead,
  status: string,
  output: ReadonlyArray<Json>
): Members => ({
  id: `resp_${id}`,
  object: "response",
  created_at: Math.floor(createdAt / 1_000),
  status,
  background: false,
  error: null,
  incomplete_details: null,
  model,
  output,
  store: false,
  ...repeatedOf(request),
  usage: null,
  ...(service === undefined ? {} : { service })
})

const textPart = (text: string): Members => ({ type: "output_text", text, annotations: [], logprobs: [] })
const refusalPart = (refusal: string): Members => ({ type: "refusal", refusal })

const messageItem = (id: string, status: string, content: ReadonlyArray<Json>): Members => ({
  id: `msg_${id}`,
  type: "message",
  status,
  role: "assistant",
  content
})

const callItem = (answer: string, place: number, status: string, call: GatheredCall): Members => {
  const { arguments: args, id, kind, name } = call
  const item = { id: `${kind === "custom" ? "ctc" : "fc"}_${answer}_${place}`, call_id: id, name, status }
  return kind === "custom"
    ? { ...item, type: "custom_tool_call", input: args }
    : { ...item, type: "function_call", arguments: args }
}

/** Why the response is incomplete; null for a complete one. */
const incompleteness: Readonly<Record<FinishReason, string | null>> = {
  stop: null,
  tool_calls: null,
  length: "max_output_tokens",
  content_filter: "content_filter"
}

const ended = (head: AnswerHead, output: ReadonlyArray<Json>, { reason, usage }: GatheredAnswer): Members => {
  const why = incompleteness[reason]
  return {
    ...responseOf(head, why === null ? "completed" : "incomplete", output),
    incomplete_details: why === null ? null : { reason: why },
    usage: usage === null ? null : usageOf(usage)
  }
}

const partsOf = ({ refusal, text }: GatheredAnswer): ReadonlyArray<Members> => [
  ...(text === null ? [] : [textPart(text)]),
  ...(refusal === null ? [] : [refusalPart(refusal)])
]

const outputOf = ({ id }: AnswerHead, answer: GatheredAnswer): ReadonlyArray<Members> => {
  const parts = answer.text === "" && answer.calls.length > 0 ? [] : partsOf(answer)
  return [
    ...(parts.length === 0 ? [] : [messageItem(id, "completed", parts)]),
    ...answer.calls.map((call, place) => callItem(id, place, "completed", call))
  ]
}

const whole = (head: AnswerHead, events: ReadonlyArray<AnswerEvent>): Members => {
  const answer = gather(events)
  return ended(head, outputOf(head, answer), answer)
}

/** The item that is being written: the message with its parts, or a call. */
interface OpenMessage {
  readonly kind: "message"
  readonly parts: Array<Members>
  /** The part that is being written. */
  part: { readonly type: "text" | "refusal"; text: string } | null
}
interface OpenCall {
  readonly kind: "call"
  readonly call: GatheredCall
}

class ResponsesStreamWriter implements StreamWriter {
  readonly #head: AnswerHead
  readonly #output: Array<Members> = []
  readonly #events: Array<AnswerEvent> = []
  #sequence = 0
  #open: OpenMessage | OpenCall | null = null
  #calls = 0
  #isFinished = false
  #error: string | null = null

  constructor(head: AnswerHead) {
    this.#head = head
  }

  write(piece: AnswerEvent): string {
    switch (piece.type) {
      case "text":
      case "refusal":
        return this.#begin() + this.#said(piece.type, piece.text)
      case "call": {
        const { id, kind, name } = piece
        return this.#begin() + this.#close() + this.#startCall({ id, kind, name, arguments: "" })
      }
      case "arguments":
        return this.#argumentsOf(piece.text)
      case "error":
        this.#error = piece.message
        return ""
      case "finish":
        this.#isFinished = true
        this.#events.push(piece)
        return ""
      case "usage":
        this.#events.push(piece)
        return ""
    }
  }

  end(): string {
    if (this.#error !== null || !this.#isFinished) {
      return (
        this.#begin() +
        this.#event("error", { code: "api_error", message: this.#error ?? unfinishedMessage, param: null })
      )
    }
    const closing = this.#begin() + this.#close()
    const response = ended(this.#head, this.#output, gather(this.#events))
    return closing + this.#event(`response.${String(response["status"])}`, { response })
  }

  #event(type: string, members: Members): string {
    return `event: ${type}\ndata: ${json({ type, sequence_number: this.#sequence++, ...members })}\n\n`
  }

  #begin(): string {
    if (this.#sequence > 0) return ""
    const response = responseOf(this.#head, "in_progress", [])
    return this.#event("response.created", { response }) + this.#event("response.in_progress", { response })
  }

  get #place(): { readonly output_index: number; readonly item_id: string } {
    const open = this.#open
    const item = open?.kind === "call" ? callItem(this.#head.id, this.#calls - 1, "", open.call) : undefined
    return { output_index: this.#output.length, item_id: String(item?.["id"] ?? `msg_${this.#messageId}`) }
  }

  /** A text behind a call is a message of its own. */
  get #messageId(): string {
    const place = this.#output.length
    return place === 0 ? this.#head.id : `${this.#head.id}_${place}`
  }

  #said(type: "text" | "refusal", text: string): string {
    const message = this.#openMessage()
    const part = this.#openPart(message.message, type)
    const { current } = part
    current.text += text
    const place = { ...this.#place, content_index: message.message.parts.length, delta: text }
    const delta =
      type === "text"
        ? this.#event("response.output_text.delta", { ...place, logprobs: [] })
        : this.#event("response.refusal.delta", place)
    return message.opening + part.opening + delta
  }

  #openMessage(): { readonly message: OpenMessage; readonly opening: string } {
    if (this.#open?.kind === "message") return { message: this.#open, opening: "" }
    const closing = this.#close()
    const message: OpenMessage = { kind: "message", parts: [], part: null }
    this.#open = message
    const item = messageItem(this.#messageId, "in_progress", [])
    const { output_index } = this.#place
    return { message, opening: closing + this.#event("response.output_item.added", { output_index, item }) }
  }

  #openPart(message: OpenMessage, type: "text" | "refusal") {
    if (message.part?.type === type) return { current: message.part, opening: "" }
    const closing = this.#closePart(message)
    const current = { type, text: "" }
    message.part = current
    const part = type === "text" ? textPart("") : refusalPart("")
    const place = { ...this.#place, content_index: message.parts.length }
    return { current, opening: closing + this.#event("response.content_part.added", { ...place, part }) }
  }

  #closePart(message: OpenMessage): string {
    const { part: open } = message
    if (open === null) return ""
    const { text, type } = open
    const place = { ...this.#place, content_index: message.parts.length }
    const part = type === "text" ? textPart(text) : refusalPart(text)
    message.part = null
    const done =
      type === "text"
        ? this.#event("response.output_text.done", { ...place, text, logprobs: [] })
        : this.#event("response.refusal.done", { ...place, refusal: text })
    const partDone = this.#event("response.content_part.done", { ...place, part })
    message.parts.push(part)
    return done + partDone
  }

  #startCall(call: GatheredCall): string {
    this.#open = { kind: "call", call }
    const item = callItem(this.#head.id, this.#calls++, "in_progress", call)
    return this.#event("response.output_item.added", { output_index: this.#output.length, item })
  }

  #argumentsOf(text: string): string {
    if (this.#open?.kind !== "call") return ""
    const { call } = this.#open
    call.arguments += text
    const type = call.kind === "custom" ? "response.custom_tool_call_input" : "response.function_call_arguments"
    return this.#event(`${type}.delta`, { ...this.#place, delta: text })
  }

  #close(): string {
    const open = this.#open
    if (open === null) return ""
    const [before, item] = open.kind === "message" ? this.#messageDone(open) : this.#callDone(open.call)
    const done = this.#event("response.output_item.done", { output_index: this.#output.length, item })
    this.#output.push(item)
    this.#open = null
    return before + done
  }

  #messageDone(message: OpenMessage): readonly [string, Members] {
    const before = this.#closePart(message)
    return [before, messageItem(this.#messageId, "completed", message.parts)]
  }

  #callDone(call: GatheredCall): readonly [string, Members] {
    const { arguments: args, kind, name } = call
    const before =
      kind === "custom"
        ? this.#event("response.custom_tool_call_input.done", { ...this.#place, input: args })
        : this.#event("response.function_call_arguments.done", { ...this.#place, name, arguments: args })
    return [before, callItem(this.#head.id, this.#calls - 1, "completed", call)]
  }
}

export const writer: AnswerWriter = { whole, stream: (head) => new ResponsesStreamWriter(head) }
