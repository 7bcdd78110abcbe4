/**
 * Whether parsed JSON is a row by the schema, in a tenth of the schema's time: copies and explains nothing. After a
 * rejection, the schema decides and explains.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { ConversationRow } from "../Row.ts"

type Members = Schema.JsonObject

/** `1e999` parses as infinity, which JSON cannot express. */
const isFinite = (value: Schema.Json): boolean => {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(isFinite)
  const members = value as Members
  for (const key in members) if (!isFinite(members[key] ?? null)) return false
  return true
}

const isMessage = (value: Schema.Json): boolean =>
  isObject(value) && typeof value["role"] === "string" && value["role"] !== "" && isFinite(value)

const isCompletion = (value: Schema.Json | undefined): boolean =>
  value === undefined ||
  typeof value === "string" ||
  (isObject(value) && value["role"] === "assistant" && isFinite(value))

const areTags = (value: Schema.Json | undefined): boolean =>
  value === undefined || (Array.isArray(value) && value.every((tag) => typeof tag === "string"))

export const isRow = (json: Schema.Json): json is ConversationRow & Members => {
  if (!isObject(json)) return false
  const { completion, external_id, messages, metadata, tags, tools, weight } = json
  return (
    Array.isArray(messages) &&
    messages.length > 0 &&
    messages.every(isMessage) &&
    isCompletion(completion) &&
    areTags(tags) &&
    (tools === undefined || isFinite(tools)) &&
    (external_id === undefined || typeof external_id === "string") &&
    (metadata === undefined || (isObject(metadata) && isFinite(metadata))) &&
    (weight === undefined || (typeof weight === "number" && weight > 0 && isFinite(weight)))
  )
}
