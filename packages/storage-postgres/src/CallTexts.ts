/**
 * Texts that outsiders write, kept exactly in text columns. Nearly all are stored as they are; what Postgres text cannot
 * hold, a NUL or half a surrogate pair, is stored as JSON behind a mark.
 */
import type * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as T from "./PostgresTypes.ts"

const mark = "\u0001"

const written = (text: string | null): string | null =>
  text === null || (!text.includes("\0") && text.isWellFormed() && !text.startsWith(mark))
    ? text
    : mark + JSON.stringify(text)

export const read = (text: string): string => (text.startsWith(mark) ? JSON.parse(text.slice(mark.length)) : text)

export const texts = (values: ReadonlyArray<string | null>): PgTypes.Parameter => T.textsOrNull(values.map(written))

export const textOrNull = (value: string | null): PgTypes.Parameter => T.textOrNull(written(value))

/** A column of such texts. */
export const Text = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform(read),
    encode: SchemaGetter.transform((text) => text)
  })
)
