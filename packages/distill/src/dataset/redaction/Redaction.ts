/**
 * Takes out of a row what a version must not hold (contract 6): each find becomes a token such as `[EMAIL]`. Only strings
 * in the messages and the completion are looked at; all else stays as it was.
 */
import * as Schema from "effect/Schema"
import { apiKeys, creditCards, emails, type Finder, phones } from "./Finders.ts"

export const RedactionKind = Schema.Literals(["email", "phone", "credit_card", "api_key"])
export type RedactionKind = typeof RedactionKind.Type

/** In this order: an address may hold what looks like a key, and a card what looks like a telephone number. */
const rules: ReadonlyArray<readonly [kind: RedactionKind, find: Finder, token: string]> = [
  ["email", emails, "[EMAIL]"],
  ["api_key", apiKeys, "[API_KEY]"],
  ["credit_card", creditCards, "[CREDIT_CARD]"],
  ["phone", phones, "[PHONE]"]
]

export interface Redacted<A> {
  readonly value: A
  /** Finds that were replaced. */
  readonly count: number
}

const replaceAll = (text: string, find: Finder, token: string): Redacted<string> => {
  const found = find(text)
  if (found.length === 0) return { value: text, count: 0 }
  let value = ""
  let from = 0
  for (const one of found) {
    value += text.slice(from, one.from) + token
    from = one.to
  }
  return { value: value + text.slice(from), count: found.length }
}

const redactOnce = (text: string, kinds: ReadonlyArray<RedactionKind>): Redacted<string> =>
  rules.reduce<Redacted<string>>(
    (redacted, [kind, find, token]) => {
      if (!kinds.includes(kind)) return redacted
      const { count, value } = replaceAll(redacted.value, find, token)
      return { value, count: redacted.count + count }
    },
    { value: text, count: 0 }
  )

/** What is glued to a find may be one itself, once that is gone; texts made by hand to need more are left at this. */
const roundsMax = 8

export const redactText = (text: string, kinds: ReadonlyArray<RedactionKind>): Redacted<string> => {
  let redacted: Redacted<string> = { value: text, count: 0 }
  for (let round = 0; round < roundsMax; round++) {
    const { count, value } = redactOnce(redacted.value, kinds)
    if (count === 0) break
    redacted = { value, count: redacted.count + count }
  }
  return redacted
}

/** What names things: a tool call and its answer must still find each other. */
const kept: ReadonlySet<string> = new Set(["role", "type", "id", "tool_call_id"])
/** Images and sounds in place. */
const isInlineData = (text: string): boolean => text.startsWith("data:")

const redactValue = (value: Schema.Json, kinds: ReadonlyArray<RedactionKind>): Redacted<Schema.Json> => {
  if (typeof value === "string") return isInlineData(value) ? { value, count: 0 } : redactText(value, kinds)
  if (typeof value !== "object" || value === null) return { value, count: 0 }
  let count = 0
  const inside = (member: Schema.Json): Schema.Json => {
    const redacted = redactValue(member, kinds)
    count += redacted.count
    return redacted.value
  }
  if (Array.isArray(value)) return { value: value.map(inside), count }
  const members = Object.entries(value as Schema.JsonObject)
  const redacted = members.map(([key, member]) => [key, kept.has(key) ? member : inside(member)] as const)
  return { value: Object.fromEntries(redacted), count }
}

const redactedFields: ReadonlySet<string> = new Set(["messages", "completion"])

/** The row without what was looked for; the same object where nothing was found. */
export const redactRow = (row: Schema.JsonObject, kinds: ReadonlyArray<RedactionKind>): Redacted<Schema.JsonObject> => {
  if (kinds.length === 0) return { value: row, count: 0 }
  let count = 0
  const members = Object.entries(row).map(([key, member]) => {
    if (!redactedFields.has(key)) return [key, member] as const
    const redacted = redactValue(member, kinds)
    count += redacted.count
    return [key, redacted.value] as const
  })
  return count === 0 ? { value: row, count } : { value: Object.fromEntries(members), count }
}
