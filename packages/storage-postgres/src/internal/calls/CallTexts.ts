/**
 * Texts that outsiders write, kept exactly in text columns. Nearly all are stored as they are. What Postgres text cannot hold
 * stands behind a mark: a text with NULs has another control character in their place, which follows the mark and is nowhere
 * in the text; one with half a surrogate pair, or with every control character, is JSON, which begins with a quote.
 */
import type * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as T from "../connection/PostgresTypes.ts"

const mark = "\u0001"
const nul = "\0"

/** What may stand for NULs. */
const controls = Array.from({ length: 0x1f }, (_, at) => String.fromCharCode(at + 1))

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Swaps ASCII characters in a well-formed text: a text may hold millions, and a loop over bytes is fastest. */
const swapCharacters = (text: string, from: string, to: string): string => {
  const bytes = encoder.encode(text)
  const [out, into] = [from.charCodeAt(0), to.charCodeAt(0)]
  for (let at = bytes.indexOf(out); at >= 0 && at < bytes.length; at++) if (bytes[at] === out) bytes[at] = into
  return decoder.decode(bytes)
}

const marked = (text: string): string => {
  const standIn = text.isWellFormed() ? controls.find((control) => !text.includes(control)) : undefined
  return mark + (standIn === undefined ? JSON.stringify(text) : standIn + swapCharacters(text, nul, standIn))
}

const written = (text: string | null): string | null =>
  text === null || (!text.includes(nul) && text.isWellFormed() && !text.startsWith(mark)) ? text : marked(text)

export const read = (text: string): string => {
  if (!text.startsWith(mark)) return text
  const standIn = text.charAt(1)
  return standIn === '"' ? JSON.parse(text.slice(1)) : swapCharacters(text.slice(2), standIn, nul)
}

export const texts = (values: ReadonlyArray<string | null>): PgTypes.Parameter => T.textsOrNull(values.map(written))

export const textOrNull = (value: string | null): PgTypes.Parameter => T.textOrNull(written(value))

/** A column of such texts. */
export const Text = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform(read),
    encode: SchemaGetter.transform((text) => text)
  })
)
