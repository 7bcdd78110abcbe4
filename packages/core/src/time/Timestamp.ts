/** Times inside are milliseconds since 1970 (`Millis`); on the wire they are ISO 8601 UTC with milliseconds (contract 1). */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { BoundedCache } from "../cache/BoundedCache.ts"

export const Millis = Schema.Int
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Millis = typeof Millis.Type

export const dayMillis = 24 * 3_600_000

const texts = new BoundedCache<Millis, string>({ generationMax: 24_000, lengthMax: 1_000 })

/** Formats `2026-11-20T10:00:00.000Z`. Times repeat, and a cached text takes a fifth of the time of a new one. */
export const toIso = (at: Millis): string => {
  const known = texts.find(at)
  if (known !== undefined) return known
  const text = DateTime.formatIso(DateTime.makeUnsafe(at))
  texts.keep(at, text, text.length)
  return text
}

export const toIsoOrNull = (at: Millis | null): string | null => (at === null ? null : toIso(at))

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/** `Date.parse` takes February 30 for March 2. */
const isOfCalendar = (date: string): boolean => toIso(Date.parse(date)).startsWith(date)

/** Reads an ISO 8601 date or time with a zone; `undefined` for anything else. */
export const fromIso = (text: string): Millis | undefined => {
  const at = iso.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) || !isOfCalendar(text.slice(0, 10)) ? undefined : at
}
