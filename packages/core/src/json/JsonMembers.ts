/**
 * Reads a few members of a JSON object from its text. A short text is parsed; a long text is scanned in turns, because
 * parsing it would block the event loop.
 */
import type * as Schema from "effect/Schema"
import * as Utf8 from "../bytes/Utf8.ts"
import type * as Turns from "../turns/Turns.ts"
import { isObject } from "./Json.ts"
import * as JsonScan from "./JsonScan.ts"

/** Characters, or bytes, parsed at once: in some milliseconds. */
export const parsedLengthMax = 256 * 1024

/** How deep a long text may nest to be taken for JSON: far deeper than what anybody sends, and few enough to be counted. */
const depthMax = 100_000

const parsed = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Scans a text of any length. Leaves out a member that is longer than the bound for parsing. */
export function* scanMembers(text: string, names: ReadonlySet<string>): Turns.Steps<Schema.JsonObject | undefined> {
  const members = yield* JsonScan.steps(text, names, depthMax)
  if (members === undefined) return undefined
  const short = [...members].filter(([, { length }]) => length <= parsedLengthMax)
  return Object.fromEntries(short.map(([name, member]) => [name, parsed(member) ?? null]))
}

/** Whether `of` parses the whole body at this length, and so sees all members. */
export const isParsed = ({ length }: Uint8Array): boolean => length <= parsedLengthMax

/**
 * Steps for `Turns`; a short body takes none. Undefined for invalid JSON; no members for another value than an object.
 */
export function* of(body: Uint8Array, names: ReadonlySet<string>): Turns.Steps<Schema.JsonObject | undefined> {
  const text = yield* Utf8.decoding(body)
  if (!isParsed(body)) return yield* scanMembers(text, names)
  const value = parsed(text)
  return value === undefined || isObject(value) ? value : {}
}
