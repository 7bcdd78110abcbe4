/**
 * How pieces of JSON become one: texts are joined, lists appended, objects merged field by field, and of anything else the
 * last is kept. What says nothing never replaces what does.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"

/** Cost of merging a chunk, in characters read. */
export const chunkCost = 256
/** Chunks that are merged in one step. */
export const stepChunks = 32

/** An object in the making. A Map, because a field may be called `__proto__`. */
export type Fields = Map<string, unknown>

export const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** Servers also send empty fields. */
const saysNothing = (value: unknown): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)

/** Texts that name something: a second one is the same again, not the next piece. */
const names = new Set(["role", "id", "type", "name", "index", "format", "status", "object"])

/** A copy that may be changed. */
export const copyValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copyValue)
  return isObject(value) ? fieldsOf(value) : value
}

export const fieldsOf = (value: Schema.JsonObject): Fields =>
  new Map(Object.entries(value).map(([name, field]) => [name, copyValue(field)]))

/** The last one that says something. */
export const keep = (fields: Fields, name: string, value: unknown): void => {
  if (!fields.has(name) || !saysNothing(value)) fields.set(name, copyValue(value))
}

const goesOn = (last: unknown, item: Schema.JsonObject): last is Fields =>
  last instanceof Map &&
  last.get("type") === item["type"] &&
  ["text", "thinking"].some((name) => last.has(name) && name in item) &&
  item["id"] === undefined

/** List items by index: an upstream's list may have any length. */
const indexes = new WeakMap<ReadonlyArray<unknown>, Map<unknown, Fields>>()

const indexOf = (items: ReadonlyArray<unknown>): Map<unknown, Fields> => {
  const known = indexes.get(items)
  if (known !== undefined) return known
  const fields = items.filter((item): item is Fields => item instanceof Map && item.has("index"))
  const index = new Map(fields.map((item) => [item.get("index"), item]))
  indexes.set(items, index)
  return index
}

/** Items with an index extend the item with that index; a text part extends the previous part of its type. */
const append = (items: Array<unknown>, item: unknown): void => {
  if (!isObject(item)) return void items.push(item)
  const { index } = item
  const last = items.at(-1)
  const found = index === undefined ? (goesOn(last, item) ? last : undefined) : indexOf(items).get(index)
  if (found !== undefined) return void mergeAll(found, item)
  const fields = fieldsOf(item)
  items.push(fields)
  if (index !== undefined) indexOf(items).set(index, fields)
}

const merged = (name: string, current: unknown, next: unknown): unknown => {
  if (current === undefined || current === null) return Array.isArray(next) ? appendAll([], next) : copyValue(next)
  if (saysNothing(next)) return current
  if (typeof current === "string" && typeof next === "string") return names.has(name) ? next : current + next
  if (Array.isArray(current) && Array.isArray(next)) return appendAll(current, next)
  if (current instanceof Map && isObject(next)) return mergeAll(current, next)
  return copyValue(next)
}

export const appendAll = (items: Array<unknown>, next: ReadonlyArray<unknown>): Array<unknown> => {
  for (const item of next) append(items, item)
  return items
}

export const merge = (fields: Fields, name: string, next: unknown): void => {
  fields.set(name, merged(name, fields.get(name), next))
}

export const mergeAll = (fields: Fields, next: Schema.JsonObject): Fields => {
  for (const [name, field] of Object.entries(next)) merge(fields, name, field)
  return fields
}
