/**
 * Texts in columns of their own. SQLite keeps UTF-8, in which half a surrogate pair has no form, and JavaScript has strings
 * with such: they are kept as the bytes of UTF-16, in columns of any type. So equal columns are equal strings.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const isWellFormed = (text: string): boolean => text.isWellFormed()

export const stored = (text: string): string | Uint8Array => (isWellFormed(text) ? text : Buffer.from(text, "utf16le"))

/** Of a column that `stored` wrote. */
export const Text = Schema.Union([Schema.String, Schema.Uint8Array]).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (column) => (typeof column === "string" ? column : Buffer.from(column).toString("utf16le")),
      encode: stored
    })
  )
)
