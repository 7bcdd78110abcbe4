/** Finds and reduces the JSON Schema for the answer in a request of any conversation dialect. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { ConversationEndpoint } from "../CallConversation.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

/** An object schema with its properties in order. */
export interface AnswerSchema {
  /** Where the schema stands in the request. */
  readonly path: ReadonlyArray<string>
  readonly schema: Members
  readonly properties: Readonly<Record<string, Json>>
}

const places: Readonly<Record<ConversationEndpoint, ReadonlyArray<ReadonlyArray<string>>>> = {
  "chat.completions": [["response_format", "json_schema", "schema"]],
  responses: [["text", "format", "schema"]],
  messages: [
    ["output_config", "format", "schema"],
    ["output_format", "schema"]
  ]
}

/** Keywords with further properties, or with rules between properties. */
const composing = [
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "patternProperties",
  "dependentSchemas",
  "dependentRequired",
  "minProperties",
  "maxProperties",
  "propertyNames"
]

const valueAt = (request: Json, path: ReadonlyArray<string>): Json | undefined => {
  let value: Json | undefined = request
  for (const name of path) value = isObject(value) ? (value as Members)[name] : undefined
  return value
}

/** Undefined for a request without a schema, and for a composed schema. */
export const find = (endpoint: ConversationEndpoint, request: Members): AnswerSchema | undefined => {
  for (const path of places[endpoint]) {
    const schema = valueAt(request, path)
    if (!isObject(schema)) continue
    const { properties } = schema as Members
    const isPlain = !composing.some((keyword) => keyword in schema)
    return isPlain && isObject(properties)
      ? { path, schema: schema as Members, properties: properties as Members }
      : undefined
  }
  return undefined
}

/** Reduces the schema to these properties. */
export const cut = ({ properties, schema }: AnswerSchema, names: ReadonlyArray<string>): Members => {
  const { required } = schema
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name))),
    ...(Array.isArray(required)
      ? { required: required.filter((name) => typeof name === "string" && names.includes(name)) }
      : {})
  }
}

/** Replaces the value at a path of the request. */
export const replaceAt = (request: Members, [name = "", ...rest]: ReadonlyArray<string>, value: Json): Members => {
  const inner = request[name]
  return { ...request, [name]: rest.length > 0 && isObject(inner) ? replaceAt(inner as Members, rest, value) : value }
}

/** Keywords that allow any value. */
const annotations = new Set(["title", "description", "default", "examples", "deprecated", "$comment"])

const typeOf = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

const isOfType = (type: Json, value: Json): boolean =>
  type === typeOf(value) || (type === "integer" && Number.isInteger(value))

const among = (values: Json | undefined, value: Json): boolean =>
  Array.isArray(values) && values.some((one) => JSON.stringify(one) === JSON.stringify(value))

const objectFits = (schema: Members, value: Json): boolean => {
  if (!isObject(value)) return true
  const { additionalProperties = true, properties = {}, required = [] } = schema
  const named = isObject(properties) ? (properties as Members) : {}
  const hasAll =
    Array.isArray(required) && required.every((name) => typeof name === "string" && Object.hasOwn(value, name))
  return (
    hasAll &&
    Object.entries(value as Members).every(([name, member]) =>
      Object.hasOwn(named, name) ? fits(named[name]!, member) : additionalProperties === true
    )
  )
}

const rules: Readonly<Record<string, (schema: Members, value: Json) => boolean>> = {
  type: ({ type = null }, value) =>
    Array.isArray(type) ? type.some((one) => isOfType(one, value)) : isOfType(type, value),
  enum: (schema, value) => among(schema["enum"], value),
  const: (schema, value) => among([schema["const"] ?? null], value),
  minimum: ({ minimum }, value) => typeof value !== "number" || value >= Number(minimum),
  maximum: ({ maximum }, value) => typeof value !== "number" || value <= Number(maximum),
  items: ({ items = true }, value) => !Array.isArray(value) || value.every((item) => fits(items, item)),
  properties: objectFits,
  required: objectFits,
  additionalProperties: objectFits
}

/** Whether the value is provably valid. Returns false for keywords beyond types, enumerations, bounds, lists and objects. */
export const fits = (schema: Json, value: Json): boolean => {
  if (typeof schema === "boolean") return schema
  if (!isObject(schema)) return false
  return Object.keys(schema).every(
    (keyword) => annotations.has(keyword) || rules[keyword]?.(schema as Members, value) === true
  )
}
