/** A cache of the JSON text of immutable objects, and of objects stored as JSON: each is serialized once. */
import { isObject } from "./Json.ts"

const texts = new WeakMap<object, string | null>()

/** Caches the object's text for the object's lifetime, after its first use. The object must not change any more. */
export const keep = <A extends object>(value: A): A => {
  texts.set(value, null)
  return value
}

const standIns = new WeakMap<object, object>()

declare const ofResource: unique symbol

/** A resource as a stored JSON text. It has no members: only the serializer reads it. */
export interface StoredText<A> {
  readonly [ofResource]: A
}

/** What a response may hold in place of `A`: its text, or a list that holds texts. */
export type Writable<A> =
  | A
  | StoredText<A>
  | (A extends { readonly data: ReadonlyArray<infer Item> }
      ? Omit<A, "data"> & { readonly data: ReadonlyArray<Item | StoredText<Item>> }
      : never)

/** Stands for the resource in a stored JSON text. The serializer writes the text without parsing it. */
export const standInFor = <A>(stored: { readonly body: string }): StoredText<A> => {
  const known = standIns.get(stored)
  // The type has no members at run time.
  if (known !== undefined) return known as StoredText<A>
  const standIn = {} as StoredText<A>
  texts.set(standIn, stored.body)
  standIns.set(stored, standIn)
  return standIn
}

/** Whether its text is kept, or will be. */
export const isKept = (value: unknown): value is object =>
  typeof value === "object" && value !== null && texts.has(value)

const ofKept = (value: object): string => {
  const text = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, text)
  return text
}

const ofItem = (item: unknown): string => {
  if (isKept(item)) return ofKept(item)
  return JSON.stringify(item) ?? "null"
}

/** The members of a list in front of and behind its `data`. */
const ofList = (list: Readonly<Record<string, unknown>>, data: ReadonlyArray<unknown>): string => {
  const members: Array<string> = []
  for (const [name, value] of Object.entries(list)) {
    const text = value === data ? `[${data.map(ofItem).join(",")}]` : JSON.stringify(value)
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${members.join(",")}}`
}

/** The JSON text of a resource or of a list of resources, equal to `JSON.stringify`. */
export const of = (value: unknown): string => {
  if (!isObject(value)) return JSON.stringify(value)
  const { data } = value
  return Array.isArray(data) && data.some(isKept) ? ofList(value, data) : ofItem(value)
}
