/** The fields of a JSON object in its text, so that the same text can be written with other values. */
import { isObject } from "@limbeck/core/json/Json"

export interface JsonFields {
  /**
   * JSON Pointers (RFC 6901) without their first slash. A nested object contributes its fields; a list is one value.
   */
  readonly names: ReadonlyArray<string>
  /** The values as JSON text. */
  readonly values: ReadonlyArray<string>
  /** What stands before each value, and behind the last. */
  readonly between: ReadonlyArray<string>
}

interface FieldMatch {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Longer texts are no answers of a classifier. */
const charactersMax = 10_000

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu

const pointerOf = (path: ReadonlyArray<string>): string =>
  path.map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")

/** The value that begins at a token: its last one. */
const endOf = (tokens: ReadonlyArray<RegExpExecArray>, from: number): number => {
  let open = 0
  for (let at = from; ; at++) {
    const [text] = tokens[at]!
    if (text === "{" || text === "[") open++
    if (text === "}" || text === "]") open--
    if (open === 0) return at
  }
}

/** Collects the values of the object that opens at a token; returns the token behind it. */
const collect = (
  tokens: ReadonlyArray<RegExpExecArray>,
  open: number,
  path: ReadonlyArray<string>,
  found: Array<FieldMatch>
): number => {
  let at = open + 1
  while (tokens[at]![0] !== "}") {
    const inner = [...path, JSON.parse(tokens[at]![0])]
    const value = at + 2
    if (tokens[value]![0] === "{" && tokens[value + 1]![0] !== "}") at = collect(tokens, value, inner, found)
    else {
      const end = endOf(tokens, value)
      const last = tokens[end]!
      found.push({ name: pointerOf(inner), from: tokens[value]!.index, to: last.index + last[0].length })
      at = end + 1
    }
    if (tokens[at]![0] === ",") at++
  }
  return at + 1
}

const isJsonObject = (text: string): boolean => {
  if (text.length > charactersMax || !/^\s*\{/.test(text)) return false
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}

/** Undefined: the text is no JSON object, or names a field twice. */
export const read = (text: string): JsonFields | undefined => {
  if (!isJsonObject(text)) return undefined
  const found: Array<FieldMatch> = []
  collect([...text.matchAll(token)], 0, [], found)
  const names = found.map(({ name }) => name)
  if (new Set(names).size < names.length) return undefined
  const ends = [0, ...found.map(({ to }) => to)]
  return {
    names,
    values: found.map(({ from, to }) => text.slice(from, to)),
    between: ends.map((end, index) => text.slice(end, found[index]?.from))
  }
}

/** The text with these values. */
export const write = (between: ReadonlyArray<string>, values: ReadonlyArray<string>): string =>
  between.map((text, index) => text + (values[index] ?? "")).join("")
