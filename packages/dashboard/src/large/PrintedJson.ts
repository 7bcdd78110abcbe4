/** JSON with line breaks, written piece by piece: a reader takes only the pieces that it draws, for any size of the value. */
import { DrawingLimits } from "./Limits.ts"

/** Characters of a string escaped at once. */
const pieceLength = 4_096

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

/** The end of a part of `text` from `from`, without splitting a character. */
export const endOf = (text: string, from: number, length: number): number => {
  const end = Math.min(text.length, from + length)
  return end < text.length && isHigh(text.charCodeAt(end - 1)) && end - 1 > from ? end - 1 : end
}

function* printedString(text: string): Generator<string> {
  yield '"'
  for (let from = 0; from < text.length; ) {
    const end = endOf(text, from, pieceLength)
    yield JSON.stringify(text.slice(from, end)).slice(1, -1)
    from = end
  }
  yield '"'
}

/** An array or object that was begun. `null`: an array has no names. */
interface Open {
  readonly names: ReadonlyArray<string> | null
  readonly values: ReadonlyArray<unknown>
  next: number
}

const opened = (value: object): Open =>
  Array.isArray(value)
    ? { names: null, values: value, next: 0 }
    : { names: Object.keys(value), values: Object.values(value), next: 0 }

const lineAt = (depth: number) => `\n${"  ".repeat(Math.min(depth, DrawingLimits.indentsMax))}`

/** Equal to `JSON.stringify(value, null, 2)` for parsed JSON, without recursion. */
export function* print(root: unknown): Generator<string> {
  const stack: Array<Open> = []
  let value: unknown = root
  for (;;) {
    if (typeof value === "string") yield* printedString(value)
    else if (typeof value !== "object" || value === null) yield String(JSON.stringify(value))
    else stack.push(opened(value))
    for (;;) {
      const top = stack.at(-1)
      if (top === undefined) return
      const { names, next, values } = top
      if (next < values.length) {
        yield next === 0 ? (names === null ? "[" : "{") : ","
        yield lineAt(stack.length)
        if (names !== null) {
          yield* printedString(names[next] ?? "")
          yield ": "
        }
        value = values[next]
        top.next++
        break
      }
      stack.pop()
      if (values.length === 0) yield names === null ? "[]" : "{}"
      else yield lineAt(stack.length) + (names === null ? "]" : "}")
    }
  }
}
