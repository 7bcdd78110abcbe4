/** A part of a possibly long text, limited for drawing. */
import { endOf, print } from "./PrintedJson.ts"

export interface TextPart {
  readonly text: string
  /** Where the next part begins; null: this is the last. */
  readonly next: number | null
}

/** The last line break in the last quarter of a part, if any, as the part's end. */
const lineEnd = (text: string, from: number, end: number): number => {
  const at = text.lastIndexOf("\n", end - 1)
  return end < text.length && at >= from + Math.floor((3 * (end - from)) / 4) ? at + 1 : end
}

const ofText = (text: string, from: number, length: number): TextPart => {
  const end = lineEnd(text, from, endOf(text, from, length))
  return { text: text.slice(from, end), next: end < text.length ? end : null }
}

/** Writes the value up to the end of the part, and keeps the part alone. */
const ofJson = (value: unknown, from: number, length: number): TextPart => {
  let before = 0
  let kept = ""
  for (const piece of print(value)) {
    const start = Math.max(0, from - before)
    if (start < piece.length) kept += piece.slice(start)
    before += piece.length
    // One further character shows whether more follows.
    if (kept.length > length) break
  }
  const { next, text } = ofText(kept, 0, length)
  return { text, next: next === null ? null : from + next }
}

/** A string unchanged, any other value as JSON; at most `length` UTF-16 units from the unit `from` on. */
export const partOf = (value: unknown, from: number, length: number): TextPart =>
  typeof value === "string" ? ofText(value, from, length) : ofJson(value, from, length)
