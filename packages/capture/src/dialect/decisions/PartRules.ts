/** Texts of instructions, descriptions and evidence: plain text, JSON, or parts of both. */
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"

/** The text of one part, `text` and `input_text`, `json` and `input_json`; undefined for an image or another part. */
const partText = (part: Schema.Json): string | undefined => {
  if (!isObject(part)) return undefined
  const { data, text, type, value } = part
  if ((type === "text" || type === "input_text" || type === "output_text") && typeof text === "string") return text
  if (type === "json" && value !== undefined) return textOfJson(value)
  return type === "input_json" && data !== undefined ? textOfJson(data) : undefined
}

/** Returns a string unchanged, and the RFC 8785 text of any other value. */
export const textOfJson = (value: Schema.Json): string => (typeof value === "string" ? value : canonicalJson(value))

/** The texts of a list of parts; undefined if the list is empty, or holds anything but parts of text and JSON. */
export const partTexts = (parts: ReadonlyArray<Schema.Json>): ReadonlyArray<string> | undefined => {
  const texts: Array<string> = []
  for (const part of parts) {
    const text = partText(part)
    if (text === undefined) return undefined
    texts.push(text)
  }
  return texts.length === 0 ? undefined : texts
}
