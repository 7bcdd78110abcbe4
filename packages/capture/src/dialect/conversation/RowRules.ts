/**
 * The row of a conversation and its answer (contract 16.6). The same conversation gives the same row, whatever dialect it
 * came in: ids of tool calls are numbered in order, a content of one text is that text, messages of the system have one text each,
 * and defaults are left out. Thoughts, cache marks and what only tunes the answer are no part of it. Pure.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import { canonical, contentOf, joinedText, partsOf, present } from "./ContentRules.ts"
import type { Conversation } from "./Conversation.ts"
import { canonicalCall, canonicalTool } from "./ToolRules.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** Numbers ids of tool calls in the order in which they appear, because each provider makes its own. */
class CallIds {
  readonly #numbers = new Map<string, string>()

  of(id: Json | undefined): string {
    const key = JSON.stringify(id ?? null)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const made = `call_${this.#numbers.size + 1}`
    this.#numbers.set(key, made)
    return made
  }
}

const callsOf = (calls: Json | undefined, ids: CallIds): Json | undefined =>
  Array.isArray(calls) ? calls.map((call) => (isObject(call) ? canonicalCall(call, ids.of(call["id"])) : call)) : calls

const refusalIn = (parts: ReadonlyArray<Json>): string | undefined => {
  const refusals = parts.flatMap((part) => (isObject(part) && part["type"] === "refusal" ? [part["refusal"]] : []))
  return refusals.length === 0 ? undefined : refusals.join("")
}

/** The text and the refusal of an assistant's content; a content with other parts stays as it is. */
const saidOf = ({ content, refusal }: Members): Members => {
  const parts = partsOf(content)
  if (parts === undefined) return present({ content, refusal })
  const texts = parts.filter((part) => !(isObject(part) && part["type"] === "refusal"))
  return present({ content: joinedText(texts) ?? texts, refusal: refusalIn(parts) ?? refusal })
}

/** An assistant's message without empty members; a message that says nothing has the empty text. */
const assistantOf = (message: Members, ids: CallIds): Members => {
  const { content = "", refusal } = saidOf(message)
  const tool_calls = isEmpty(message["tool_calls"]) ? undefined : callsOf(message["tool_calls"], ids)
  const rest = present({ refusal, tool_calls, function_call: message["function_call"], name: message["name"] })
  const isBare = Object.keys(rest).length === 0
  return { role: "assistant", ...(content === "" && !isBare ? {} : { content }), ...rest }
}

const isAssistant = (message: Json | undefined): message is Members =>
  isObject(message) && message["role"] === "assistant"

/** Consecutive turns of the assistant are joined: some dialects tell the text and each call apart. */
const joinedTurns = (before: Members, next: Members): Members => {
  const contents = [before["content"], next["content"]].filter((content) => content !== undefined && content !== "")
  const texts = contents.flatMap((content) => (typeof content === "string" ? [content] : []))
  const parts = contents.flatMap((content) => partsOf(content) ?? [])
  const calls = [before["tool_calls"], next["tool_calls"]].flatMap((list) => (Array.isArray(list) ? list : []))
  const content = texts.length === contents.length ? texts.join("\n\n") : parts
  return {
    ...before,
    ...next,
    ...(contents.length === 0 ? {} : { content }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

const ofSystem = ({ content, name }: Members): ReadonlyArray<Json> => {
  const parts = partsOf(content)
  const of = (text: Json | undefined) => ({ role: "system", ...present({ content: text, name }) })
  if (parts === undefined || parts.length === 0) return [of(content === undefined ? undefined : canonical(content))]
  return parts.map((part) => of(contentOf([part])))
}

const messagesOf = (message: Json, ids: CallIds): ReadonlyArray<Json> => {
  if (!isObject(message)) return [message]
  const { cache_control: _, content, role, ...members } = message
  switch (role) {
    case "system":
    case "developer":
      return ofSystem(message)
    case "assistant":
      return [assistantOf(message, ids)]
    case "tool":
      return [
        { role, tool_call_id: ids.of(members["tool_call_id"]), ...present({ content: canonical(content) ?? null }) }
      ]
    default:
      return [present({ role, ...members, content: canonical(content) })]
  }
}

const canonicalMessages = (messages: ReadonlyArray<Json>, ids: CallIds): ReadonlyArray<Json> => {
  const all: Array<Json> = []
  for (const message of messages) {
    for (const next of messagesOf(message, ids)) {
      const before = all.at(-1)
      if (isAssistant(before) && isAssistant(next)) all[all.length - 1] = joinedTurns(before, next)
      else all.push(next)
    }
  }
  return all
}

const formatOf = (format: Json | undefined): Json | undefined => {
  if (!isObject(format) || format["type"] === "text") return undefined
  const { json_schema: schema, ...rest } = format
  if (!isObject(schema)) return format
  const { strict: _, ...described } = schema
  return { ...rest, json_schema: present(described) }
}

const formOf = (form: Members): Members => {
  const { function_call, functions, parallel_tool_calls, response_format, tool_choice, tools } = form
  const hasTools = Array.isArray(tools) && tools.length > 0
  return present({
    tools: hasTools ? tools.map(canonicalTool) : isEmpty(tools) ? undefined : tools,
    tool_choice: hasTools && tool_choice !== "auto" ? tool_choice : undefined,
    parallel_tool_calls: hasTools && parallel_tool_calls === false ? false : undefined,
    response_format: formatOf(response_format),
    functions: isEmpty(functions) ? undefined : functions,
    function_call: isEmpty(functions) ? undefined : function_call
  })
}

/** The text of an answer that is only text; undefined for an answer that says nothing. */
const completionOf = (answer: Members, ids: CallIds): Json | undefined => {
  const { name: _, ...completion } = assistantOf(answer, ids)
  const members = Object.keys(completion).length - 1
  if (members > 1 || !("content" in completion)) return completion
  const isAnswer = completion["content"] !== "" || !isEmpty(answer["content"])
  return isAnswer ? (typeof completion["content"] === "string" ? completion["content"] : completion) : undefined
}

/** The messages of a conversation that nobody has answered yet. */
export const promptOf = ({ messages }: Conversation): ReadonlyArray<Json> => canonicalMessages(messages, new CallIds())

/** The members of the row; undefined if the answer says nothing. */
export const rowOf = ({ form, messages }: Conversation, answer: Members): Members | undefined => {
  const ids = new CallIds()
  const canonicalised = canonicalMessages(messages, ids)
  const completion = completionOf(answer, ids)
  return completion === undefined ? undefined : { messages: canonicalised, ...formOf(form), completion }
}
