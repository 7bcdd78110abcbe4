/**
 * Redacts personal data and secrets in a row (contract 6): each match becomes a token such as `[EMAIL]`. Only strings
 * in the messages and the completion are searched; everything else stays unchanged.
 */
import type * as Turns from "@limbeck/core/turns/Turns"
import * as Schema from "effect/Schema"
import { apiKeys, creditCards, emails, type Finder, phones } from "./internal/Finders.ts"

export const RedactionKind = Schema.Literals(["email", "phone", "credit_card", "api_key"])
export type RedactionKind = typeof RedactionKind.Type

/** In this order: an address may hold what looks like a key, and a card what looks like a telephone number. */
const rules: ReadonlyArray<readonly [kind: RedactionKind, find: Finder, token: string]> = [
  ["email", emails, "[EMAIL]"],
  ["api_key", apiKeys, "[API_KEY]"],
  ["credit_card", creditCards, "[CREDIT_CARD]"],
  ["phone", phones, "[PHONE]"]
]

export interface RedactionResult<A> {
  readonly value: A
  /** The number of replaced matches. */
  readonly count: number
}

function* replacingAll(text: string, find: Finder, token: string): Turns.Steps<RedactionResult<string>> {
  let value = ""
  let from = 0
  let count = 0
  for (const one of find(text)) {
    if (typeof one === "number") {
      yield one
      continue
    }
    value += text.slice(from, one.from) + token
    from = one.to
    count++
  }
  // A text without a match is scanned faster than it is read.
  yield text.length / 8
  return count === 0 ? { value: text, count } : { value: value + text.slice(from), count }
}

function* redactingOnce(text: string, kinds: ReadonlyArray<RedactionKind>): Turns.Steps<RedactionResult<string>> {
  let redacted: RedactionResult<string> = { value: text, count: 0 }
  for (const [kind, find, token] of rules) {
    if (!kinds.includes(kind)) continue
    const { count, value } = yield* replacingAll(redacted.value, find, token)
    redacted = { value, count: redacted.count + count }
  }
  return redacted
}

/** Removing a match may expose another match next to it. A crafted text may need more rounds; its rest stays unredacted. */
const roundsMax = 8

function* redactingText(text: string, kinds: ReadonlyArray<RedactionKind>): Turns.Steps<RedactionResult<string>> {
  let redacted: RedactionResult<string> = { value: text, count: 0 }
  for (let round = 0; round < roundsMax; round++) {
    const { count, value } = yield* redactingOnce(redacted.value, kinds)
    if (count === 0) break
    redacted = { value, count: redacted.count + count }
  }
  return redacted
}

/** What names things: a tool call and its answer must still find each other. */
const keptMembers: ReadonlySet<string> = new Set(["role", "type", "id", "tool_call_id"])
/** Images and sounds in place. */
const isInlineData = (text: string): boolean => text.startsWith("data:")

function* redactingValue(
  value: Schema.Json,
  kinds: ReadonlyArray<RedactionKind>
): Turns.Steps<RedactionResult<Schema.Json>> {
  if (typeof value === "string") return isInlineData(value) ? { value, count: 0 } : yield* redactingText(value, kinds)
  if (typeof value !== "object" || value === null) return { value, count: 0 }
  let count = 0
  const inside: Array<[key: string, member: Schema.Json]> = []
  for (const [key, member] of Object.entries(value as Schema.JsonObject)) {
    const redacted = keptMembers.has(key) ? { value: member, count: 0 } : yield* redactingValue(member, kinds)
    count += redacted.count
    inside.push([key, redacted.value])
  }
  return { value: Array.isArray(value) ? inside.map(([, member]) => member) : Object.fromEntries(inside), count }
}

const redactedFields: ReadonlySet<string> = new Set(["messages", "completion"])

/** The row without what was looked for; the same object where nothing was found. */
export function* redactingRow(
  row: Schema.JsonObject,
  kinds: ReadonlyArray<RedactionKind>
): Turns.Steps<RedactionResult<Schema.JsonObject>> {
  if (kinds.length === 0) return { value: row, count: 0 }
  let count = 0
  const members: Array<[key: string, member: Schema.Json]> = []
  for (const [key, member] of Object.entries(row)) {
    const redacted = redactedFields.has(key) ? yield* redactingValue(member, kinds) : { value: member, count: 0 }
    count += redacted.count
    members.push([key, redacted.value])
  }
  return count === 0 ? { value: row, count } : { value: Object.fromEntries(members), count }
}
