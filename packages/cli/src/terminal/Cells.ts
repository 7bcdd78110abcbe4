/** Formats table rows to fit the terminal width. Pure. */
import * as Printable from "./Printable.ts"

/** Characters that take two columns: East Asian scripts and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

const widthOfCharacter = (character: string): number => (wide.test(character) ? 2 : 1)

const widthOf = (text: string): number => Array.from(text).reduce((sum, one) => sum + widthOfCharacter(one), 0)

/** Truncates text to `width`, with an ellipsis mark. */
export const fitted = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let [cut, used] = ["", 0]
  for (const character of text) {
    used += widthOfCharacter(character)
    if (used >= width) break
    cut += character
  }
  return width < 1 ? "" : `${cut}…`
}

const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))

/** A time as people read it; an object as JSON. */
export const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  return Printable.line(typeof value === "object" ? JSON.stringify(value) : String(value))
}

const gap = 2

/** No column gets narrower, unless a terminal is too narrow for all of them. */
const columnMin = 4

/** Takes width from the widest column, one at a time; the first column is an id, which people copy, and gives last. */
const widthsOf = (natural: ReadonlyArray<number>, width: number): ReadonlyArray<number> => {
  const widths = [...natural]
  const available = Math.max(0, width - gap * (widths.length - 1))
  const total = () => widths.reduce((sum, one) => sum + one, 0)
  while (total() > available) {
    const rest = Math.max(...widths.slice(1), 0)
    const place = rest > columnMin ? widths.indexOf(rest, 1) : 0
    if (place === 0 && (widths[0] ?? 0) <= columnMin) break
    widths[place] = (widths[place] ?? 0) - 1
  }
  return widths
}

/** Aligned columns of at most `width` in all. */
export const linesOf = (rows: ReadonlyArray<ReadonlyArray<string>>, width: number): ReadonlyArray<string> => {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const natural = Array.from({ length: count }, (_, place) => Math.max(...rows.map((row) => widthOf(row[place] ?? ""))))
  const widths = widthsOf(natural, width)
  return rows.map((row) => {
    const line = row.map((cell, place) => padded(fitted(cell, widths[place] ?? 0), widths[place] ?? 0))
    return fitted(line.join(" ".repeat(gap)).trimEnd(), width)
  })
}
