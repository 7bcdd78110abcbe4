/** Completions as scorers compare them: the one to score, and the reference that the row holds (contract 14.13). */

import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import * as LabelRules from "../dataset/LabelRules.ts"
import type { Row } from "../dataset/Row.ts"
import { nestsDeeper } from "../dataset/RowShape.ts"
import { type Message, textOf } from "../dataset/RowText.ts"
import { DistillLimits } from "../Limits.ts"

/** A row for scoring; unlike a dataset's row it may lack a completion. */
export type ScoringRow = Pick<Row, "messages" | "completion">

export type Completion = string | Message

export const toMessage = (completion: Completion): Message =>
  typeof completion === "string" ? { role: "assistant", content: completion } : completion

export interface Reference {
  readonly prompt: ReadonlyArray<Message>
  readonly reference: Message | undefined
}

/** `completion`; or by default the last message, if it is the assistant's. Null has no reference: a row of decisions. */
export const referenceOf = ({ completion, messages }: ScoringRow): Reference => {
  if (completion === null) return { prompt: messages, reference: undefined }
  if (completion !== undefined) return { prompt: messages, reference: toMessage(completion) }
  const last = messages.at(-1)
  return last?.role === "assistant"
    ? { prompt: messages.slice(0, -1), reference: last }
    : { prompt: messages, reference: undefined }
}

/** Arguments are JSON in a string, whose spaces and order of members do not matter. */
const argumentsOf = (value: Schema.Json | undefined): Schema.Json => {
  if (typeof value !== "string") return value ?? null
  try {
    const parsed: Schema.Json = JSON.parse(value)
    return nestsDeeper(parsed, DistillLimits.rowDepthMax) ? value : parsed
  } catch {
    return value
  }
}

const callOf = (value: Schema.Json | undefined): Schema.Json => {
  const called = isObject(value) && isObject(value["function"]) ? value["function"] : value
  return isObject(called) ? { name: called["name"] ?? null, arguments: argumentsOf(called["arguments"]) } : null
}

/** The tool calls of a message as one text: names and arguments in order, without their random ids. */
export const callsOf = (message: Message): string => {
  const many = message["tool_calls"]
  const one = message["function_call"]
  const calls = Array.isArray(many) ? many : one === undefined || one === null ? [] : [one]
  return calls.length === 0 ? "" : canonicalJson(calls.map((call: Schema.Json) => callOf(call)))
}

/** The text of a message; behind it, on a line of their own, its calls. */
export const textAndCalls = (message: Message): string => {
  const calls = callsOf(message)
  return calls === "" ? textOf(message) : `${textOf(message)}\n${calls}`
}

export interface NamedCall {
  readonly name: string
  readonly arguments: Schema.Json
}

const isNamedCall = (value: Schema.Json): value is Schema.JsonObject & NamedCall =>
  isObject(value) && typeof value["name"] === "string" && value["arguments"] !== undefined

/** The calls of a text by `textAndCalls`; empty for words alone. */
export const callsIn = (text: string): ReadonlyArray<NamedCall> => {
  const at = text.lastIndexOf("\n[{")
  if (at < 0) return []
  try {
    const calls: Schema.Json = JSON.parse(text.slice(at + 1))
    return Array.isArray(calls) ? calls.filter((call: Schema.Json) => isNamedCall(call)) : []
  } catch {
    return []
  }
}

/** Whether two messages give the same label: it may differ in case, white space and end punctuation. A tool call is no label. */
export const givesTheSameLabel = (one: Message, other: Message): boolean =>
  callsOf(one) === "" && callsOf(other) === "" && LabelRules.isSame(textOf(one), textOf(other))

/** Whether two messages say the same: the same text, character by character, and the same tool calls. */
export const saysTheSame = (one: Message, other: Message): boolean =>
  textOf(one) === textOf(other) && callsOf(one) === callsOf(other)
