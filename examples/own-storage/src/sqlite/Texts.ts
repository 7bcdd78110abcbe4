/**
 * Texts in columns of their own. SQLite's UTF-8 cannot hold a lone surrogate, which JavaScript strings may contain: such
 * strings are stored as UTF-16 bytes, in columns of any type. So equal columns are equal strings.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const isWellFormed = (text: string): boolean => text.isWellFormed()

export const encodeText = (text: string): string | Uint8Array =>
  isWellFormed(text) ? text : Buffer.from(text, "utf16le")

/** Of a column that `encodeText` wrote. */
export const Text = Schema.Union([Schema.String, Schema.Uint8Array]).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (column) => (typeof column === "string" ? column : Buffer.from(column).toString("utf16le")),
      encode: encodeText
    })
  )
)
