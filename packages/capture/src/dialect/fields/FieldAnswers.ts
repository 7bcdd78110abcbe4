/**
 * Merges fields of a student with fields of an upstream into one JSON answer in the caller's dialect. The answer keeps the order of the
 * caller's schema, and is valid if both parts are.
 */
import { isObject } from "@limbeck/core/json/Json"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as UsageRules from "../../call/UsageRules.ts"
import type { UpstreamFailure, UpstreamResponse } from "../../upstream/Upstream.ts"
import * as AnswerBody from "../AnswerBody.ts"
import * as AnswerHeaders from "../AnswerHeaders.ts"
import type { AnswerHead } from "../answer/AnswerWriter.ts"
import type { ConversationEndpoint } from "../CallConversation.ts"
import * as TranslatedAnswer from "../TranslatedAnswer.ts"
import type { AnswerSchema } from "./AnswerSchemas.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

/** The fields of each responder, in the order of the schema. */
export interface FieldSplit {
  readonly student: ReadonlyArray<string>
  readonly upstream: ReadonlyArray<string>
}

const membersOf = (value: unknown): Members => (isObject(value) ? (value as Members) : {})
const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** Changes the text of an answer; undefined for an answer without text or with several texts. */
type TextChange = (answer: Members, change: (text: string) => string | undefined) => Members | undefined

/** Changes the text of the single part of this type; undefined with none or several. */
const changePart = (
  parts: ReadonlyArray<Json>,
  type: string,
  change: (text: string) => string | undefined
): ReadonlyArray<Json> | undefined => {
  const at = parts.findIndex((part) => isObject(part) && part["type"] === type)
  const isOnly = parts.filter((part) => isObject(part) && part["type"] === type).length === 1
  const part = membersOf(parts[at])
  const text = isOnly && typeof part["text"] === "string" ? change(part["text"]) : undefined
  return text === undefined ? undefined : parts.with(at, { ...part, text })
}

const changes: Readonly<Record<ConversationEndpoint, TextChange>> = {
  "chat.completions": (answer, change) => {
    const choices = listOf(answer["choices"])
    const choice = membersOf(choices[0])
    const message = membersOf(choice["message"])
    const { content } = message
    const text = choices.length === 1 && typeof content === "string" ? change(content) : undefined
    return text === undefined
      ? undefined
      : { ...answer, choices: [{ ...choice, message: { ...message, content: text } }] }
  },
  messages: (answer, change) => {
    const content = changePart(listOf(answer["content"]), "text", change)
    return content && { ...answer, content }
  },
  responses: (answer, change) => {
    const output = listOf(answer["output"])
    const at = output.findIndex((item) => isObject(item) && item["type"] === "message")
    const message = membersOf(output[at])
    const content = changePart(listOf(message["content"]), "output_text", change)
    return content && { ...answer, output: output.with(at, { ...message, content }) }
  }
}

const objectOf = (text: string): Members | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as Members) : undefined
  } catch {
    return undefined
  }
}

/** The text of the merged answer, in the order of the schema; undefined if the upstream's part lacks a required field. */
const merge = (
  { properties, schema }: AnswerSchema,
  { student, upstream }: FieldSplit,
  known: Members,
  text: string
): string | undefined => {
  const rest = objectOf(text)
  if (rest === undefined) return undefined
  const required = listOf(schema["required"])
  if (upstream.some((name) => required.includes(name) && !Object.hasOwn(rest, name))) return undefined
  const members = Object.keys(properties).flatMap((name): ReadonlyArray<readonly [string, Json]> => {
    const from = student.includes(name) ? known : rest
    return Object.hasOwn(from, name) ? [[name, from[name] ?? null]] : []
  })
  return JSON.stringify(Object.fromEntries(members))
}

interface MixedAnswer {
  readonly endpoint: ConversationEndpoint
  /** Of the caller's request. */
  readonly head: AnswerHead
  readonly schema: AnswerSchema
  readonly split: FieldSplit
  /** The student's fields. */
  readonly known: Members
}

const usageOf = (answer: Members) => {
  const {
    cachedTokens = 0,
    cacheWriteTokens = 0,
    inputTokens,
    outputTokens,
    reasoningTokens = 0
  } = UsageRules.usageOf(answer) ?? { inputTokens: 0, outputTokens: 0 }
  return { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens }
}

/**
 * Extends the upstream's response by the student's fields; keeps the upstream's token counts. Returns a stream for a streaming caller.
 * Fails with `invalid_response` on an unreadable or incomplete part. `response`: in the caller's dialect, unstreamed.
 */
export const mixResponse = Effect.fnUntraced(function* (
  { endpoint, head, known, schema, split }: MixedAnswer,
  response: UpstreamResponse
): Effect.fn.Return<UpstreamResponse, UpstreamFailure> {
  const body = yield* AnswerBody.read(response)
  let merged = ""
  const changed = isObject(body)
    ? changes[endpoint](body as Members, (text) => {
        const whole = merge(schema, split, known, text)
        merged = whole ?? ""
        return whole
      })
    : undefined
  if (changed === undefined) return yield* AnswerBody.invalidAnswer()
  const headers = AnswerHeaders.forward(response)
  const { model, service } = head
  if (head.request["stream"] !== true) {
    return AnswerBody.write({ ...changed, model, ...(service === undefined ? {} : { service }) }, headers)
  }
  const streamed = TranslatedAnswer.ofEvents(endpoint, head, [
    { type: "usage", usage: usageOf(changed) },
    { type: "text", text: merged },
    { type: "finish", reason: "stop" }
  ])
  return { ...streamed, headers: { ...headers, ...streamed.headers } }
})
