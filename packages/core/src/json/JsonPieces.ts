/**
 * A JSON value in pieces, so that a value with long texts is never in memory as a whole and serializing never blocks
 * the event loop. JSON text is copied without parsing.
 */

/** Characters of a piece; one less if the piece would end within a surrogate pair. */
export const pieceLength = 64 * 1024

/** Writes itself as JSON. A piece may be empty: a while was spent without any. */
export abstract class JsonWriter {
  abstract pieces(): Generator<string, void, void>
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

function* slices(text: string): Generator<string, void, void> {
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + pieceLength, text.length)
    const to = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
    yield text.slice(from, to)
    from = to
  }
}

/** Pieces of JSON text. */
export const ofJson = slices

/** A text as a JSON string, in pieces. */
export function* ofText(text: string): Generator<string, void, void> {
  yield '"'
  for (const slice of slices(text)) yield JSON.stringify(slice).slice(1, -1)
  yield '"'
}

const isLong = (value: unknown): boolean =>
  typeof value === "string" ? value.length > pieceLength : typeof value === "object" && value !== null

/** Serializes a value without long texts; null for values that JSON cannot express, as in a list. */
const atOnce = (value: unknown): string => JSON.stringify(value) ?? "null"

function* ofMembers(members: Iterable<readonly [string, unknown]>): Generator<string, void, void> {
  let text = ""
  for (const [begin, value] of members) {
    text += begin
    if (isLong(value)) {
      yield text
      yield* of(value)
      text = ""
    } else text += atOnce(value)
  }
  yield text
}

/** Of plain objects and lists, which hold texts, numbers, booleans, nulls and what writes itself. */
export function* of(value: unknown): Generator<string, void, void> {
  if (value instanceof JsonWriter) yield* value.pieces()
  else if (!isLong(value)) yield atOnce(value)
  else if (typeof value === "string") yield* ofText(value)
  else if (Array.isArray(value)) {
    yield* ofMembers(value.map((item, at) => [at === 0 ? "[" : ",", item] as const))
    yield value.length === 0 ? "[]" : "]"
  } else {
    const members = Object.entries(Object(value)).filter(([, member]) => member !== undefined)
    yield* ofMembers(members.map(([name, member], at) => [`${at === 0 ? "{" : ","}${atOnce(name)}:`, member] as const))
    yield members.length === 0 ? "{}" : "}"
  }
}
