/** Reads chat completions, whole and streamed, as answer events. Only the first choice is read. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { AnswerEvent, AnswerUsage, FinishReason } from "../answer/AnswerEvent.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

/** The members of a value that may be none. */
const membersOf = (value: Json | undefined): Members => (isObject(value) ? value : {})

const count = (value: Json | undefined): number => (typeof value === "number" && value > 0 ? Math.round(value) : 0)
const detail = (details: Json | undefined, name: string): number => (isObject(details) ? count(details[name]) : 0)

const usageOf = (usage: Json | undefined): ReadonlyArray<AnswerEvent> => {
  if (!isObject(usage)) return []
  const { completion_tokens, completion_tokens_details, prompt_tokens, prompt_tokens_details } = usage
  const read: AnswerUsage = {
    inputTokens: count(prompt_tokens),
    cachedTokens: detail(prompt_tokens_details, "cached_tokens"),
    cacheWriteTokens: detail(prompt_tokens_details, "cache_write_tokens"),
    outputTokens: count(completion_tokens),
    reasoningTokens: detail(completion_tokens_details, "reasoning_tokens")
  }
  return [{ type: "usage", usage: read }]
}

const reasons: Readonly<Record<string, FinishReason>> = {
  length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter"
}

const finishOf = (reason: Json | undefined): ReadonlyArray<AnswerEvent> =>
  typeof reason === "string" ? [{ type: "finish", reason: reasons[reason] ?? "stop" }] : []

const said = (type: "text" | "refusal", text: Json | undefined, isWhole: boolean): ReadonlyArray<AnswerEvent> =>
  typeof text === "string" && (text !== "" || isWhole) ? [{ type, text }] : []

/** A call's beginning has a name; what follows of it, in a stream, has none. */
const callOf = (call: Json, at: number): ReadonlyArray<AnswerEvent> => {
  if (!isObject(call)) return []
  const { custom, function: called, id } = call
  const index = typeof call["index"] === "number" ? call["index"] : at
  const kind = isObject(custom) ? "custom" : "function"
  const described = membersOf(kind === "custom" ? custom : called)
  const { arguments: args, input, name } = described
  const text = kind === "custom" ? input : args
  return [
    ...(typeof name === "string" && name !== ""
      ? [{ type: "call" as const, index, id: typeof id === "string" ? id : `call_${index}`, name, kind } as const]
      : []),
    ...(typeof text === "string" && text !== "" ? [{ type: "arguments" as const, index, text }] : [])
  ]
}

const choiceOf = ({ choices }: Members, member: "message" | "delta"): ReadonlyArray<AnswerEvent> => {
  const all: ReadonlyArray<Json> = Array.isArray(choices) ? choices : []
  const first = all.find((choice) => isObject(choice) && (choice["index"] ?? 0) === 0)
  if (!isObject(first)) return []
  const message = first[member]
  const { content, refusal, tool_calls } = membersOf(message)
  const calls: ReadonlyArray<Json> = Array.isArray(tool_calls) ? tool_calls : []
  return [
    ...said("text", content, member === "message"),
    ...said("refusal", refusal, false),
    ...calls.flatMap(callOf),
    ...finishOf(first["finish_reason"])
  ]
}

const errorOf = (error: Json | undefined): ReadonlyArray<AnswerEvent> => {
  if (error === undefined || error === null) return []
  const message = isObject(error) ? error["message"] : error
  return [{ type: "error", message: typeof message === "string" ? message : "The upstream failed" }]
}

/** The events of a whole chat completion; undefined if it is none. */
export const ofWhole = (completion: Json | undefined): ReadonlyArray<AnswerEvent> | undefined =>
  isObject(completion) && Array.isArray(completion["choices"])
    ? [...choiceOf(completion, "message"), ...usageOf(completion["usage"])]
    : undefined

/** The events of one chunk of a stream. */
export const ofChunk = (chunk: Json | undefined): ReadonlyArray<AnswerEvent> =>
  isObject(chunk) ? [...errorOf(chunk["error"]), ...usageOf(chunk["usage"]), ...choiceOf(chunk, "delta")] : []
