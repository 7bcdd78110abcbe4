/** One text for each JSON value, however its members are ordered (RFC 8785). It loads nothing else: threads begin with it. */
import type * as Schema from "effect/Schema"

/**
 * RFC 8785 (JCS): members sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript writes them.
 * `undefined` members are left out.
 */
export const canonicalJson = (value: Schema.Json | undefined): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null)
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Members)
}

type Members = Readonly<Record<string, Schema.Json | undefined>>

// Loops, not chains: a version of a million rows passes here a million times.
const canonicalArray = (items: ReadonlyArray<Schema.Json>): string => {
  let text = "["
  for (let index = 0; index < items.length; index++) text += (index === 0 ? "" : ",") + canonicalJson(items[index])
  return `${text}]`
}

const canonicalObject = (members: Members): string => {
  let text = ""
  // Without a comparison of one's own, texts are sorted by their UTF-16 code units.
  for (const key of Object.keys(members).sort()) {
    const member = members[key]
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
