/** Tools and their calls in their canonical form. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import { present } from "./ContentRules.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

/** A number that a parser may round. */
const isInexact = /\d{16}|\d[eE]/

/** JSON text without white space, its numbers unchanged; invalid JSON stays unchanged, and an empty text becomes an empty object. */
const canonicalArguments = (text: string): string => {
  if (text.trim() === "") return "{}"
  if (isInexact.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

export const functionCall = (id: string, name: string, args: string): Members => ({
  id,
  type: "function",
  function: { name, arguments: args }
})

export const customCall = (id: string, name: string, input: string): Members => ({
  id,
  type: "custom",
  custom: { name, input }
})

/** A call with its canonical arguments and another id. */
export const canonicalCall = (call: Members, id: string): Members => {
  const { custom, function: called } = call
  if (isObject(called) && typeof called["name"] === "string" && typeof called["arguments"] === "string") {
    return functionCall(id, called["name"], canonicalArguments(called["arguments"]))
  }
  if (isObject(custom) && typeof custom["name"] === "string" && typeof custom["input"] === "string") {
    return customCall(id, custom["name"], custom["input"])
  }
  return { ...call, id }
}

const isEmptyList = (value: Json | undefined): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)

/** A schema that allows no argument is left out, because two dialects require one and the third does not. */
const parametersOf = (parameters: Json | undefined): Json | undefined => {
  if (!isObject(parameters) || parameters["type"] !== "object") return parameters
  const { additionalProperties: _, properties = {}, required, type, ...rest } = parameters
  const isEmpty = isObject(properties) && Object.keys(properties).length === 0 && isEmptyList(required)
  return isEmpty && Object.keys(rest).length === 0 ? undefined : parameters
}

/** How strictly arguments are checked, and what is cached, is no part of a tool. */
export const canonicalTool = (tool: Json): Json => {
  if (!isObject(tool)) return tool
  const { cache_control: _, function: described, ...members } = tool
  if (members["type"] !== "function" || !isObject(described)) return { ...members, ...present({ function: described }) }
  const { strict: __, ...rest } = described
  return { type: "function", function: present({ ...rest, parameters: parametersOf(rest["parameters"]) }) }
}
