/**
 * Tool calls as labels: students learn single calls with tool and arguments from closed sets like any other answer. A call label is a
 * JSON object with a reserved member name, so text answers never collide.
 */
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import { type Message, textOf, usesTools } from "./RowText.ts"

export interface ToolCall {
  readonly name: string
  readonly arguments: Schema.JsonObject
}

const member = "$tool_call"

const parsed = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const callIn = (value: Schema.Json | undefined): ToolCall | undefined => {
  if (!isObject(value)) return undefined
  const { arguments: given, name } = value
  const args = typeof given === "string" ? parsed(given === "" ? "{}" : given) : given
  return typeof name === "string" && isObject(args) ? { name, arguments: args } : undefined
}

/** The label of a message with a single function call and no text. */
const callLabel = (message: Message): string | null => {
  const { function_call, tool_calls } = message
  if (textOf(message) !== "" || (function_call !== undefined && function_call !== null)) return null
  const [only, ...others] = Array.isArray(tool_calls) ? tool_calls : []
  const call = isObject(only) && others.length === 0 ? callIn(only["function"]) : undefined
  return call === undefined ? null : canonicalJson({ [member]: { name: call.name, arguments: call.arguments } })
}

/** Converts the answer in a message to a label; null if impossible. */
export const labelOf = (message: Message): string | null => {
  if (usesTools(message)) return message.role === "assistant" ? callLabel(message) : null
  return textOf(message) || null
}

/** The call that a label is; undefined for words. */
export const callOf = (label: string): ToolCall | undefined => {
  if (!label.startsWith(`{"${member}":`)) return undefined
  const value = parsed(label)
  return isObject(value) ? callIn(value[member]) : undefined
}

/** `id`: of the call. */
export const messageOf = (label: string, id: string) => {
  const call = callOf(label)
  if (call === undefined) return { role: "assistant" as const, content: label }
  const called = { name: call.name, arguments: JSON.stringify(call.arguments) }
  return { role: "assistant" as const, content: null, tool_calls: [{ id, type: "function", function: called }] }
}

/** What a description says decides nothing. */
const prose: ReadonlySet<string> = new Set(["description", "title", "examples"])

const withoutProse = (value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return value.map(withoutProse)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name, of]) => !(prose.has(name) && !isObject(of)))
  return Object.fromEntries(kept.map(([name, of]) => [name, withoutProse(of as Schema.Json)]))
}

const declaredIn = (tool: Schema.Json): Schema.Json =>
  isObject(tool) && isObject(tool["function"]) ? tool["function"] : tool

/** The name in a tool definition; undefined without a name. */
export const nameOf = (tool: Schema.Json): Schema.Json | undefined => {
  const declared = declaredIn(tool)
  return isObject(declared) ? declared["name"] : undefined
}

const functionOf = (tool: Schema.Json): Schema.Json => {
  const own = declaredIn(tool)
  if (!isObject(own)) return own
  return { name: own["name"] ?? null, parameters: withoutProse(own["parameters"] ?? null) }
}

/** Tools by names and parameters, in any order of them and whatever their descriptions say; null without any. */
export const offerOf = (tools: Schema.Json | undefined): string | null =>
  Array.isArray(tools) && tools.length > 0
    ? canonicalJson(tools.map((tool: Schema.Json) => canonicalJson(functionOf(tool))).sort())
    : null
