/** Measures what a detector sends away: rows that were held back, the same rows with harmless changes, and other texts. */
import type { Unlike } from "@limbeck/distill/report/Unlike"
import { normalize } from "../Text.ts"
import * as HarmlessChanges from "./HarmlessChanges.ts"
import * as OtherTexts from "./OtherTexts.ts"

/** Rows that have a line in common before it is taken for what all rows have. */
const common = 0.5

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n")
const foldLine = (line: string): string => normalize(line, line.length).replaceAll(/\d/gu, "0")

/** The most frequent line of the texts, with every digit a 0; undefined unless most texts have the line. */
const commonLine = (texts: ReadonlyArray<string>): string | undefined => {
  const counts = new Map<string, number>()
  for (const text of texts) {
    for (const line of new Set(linesOf(text).map(foldLine)))
      if (line !== "") counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  const [line, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ["", 0])
  return count > common * texts.length && texts.some((text) => linesOf(text).length > 1) ? line : undefined
}

const without = (line: string) => (text: string) =>
  linesOf(text)
    .filter((one) => foldLine(one) !== line)
    .join("\n")

/** Texts of one call. */
const listed = 4

/** The row and those behind it, as a numbered list. */
const listFrom = (rows: ReadonlyArray<string>, index: number): string =>
  Array.from({ length: listed }, (_, at) => `${at + 1}. ${rows[(index + at) % rows.length]}`).join("\n")

/** `rows`: requests of rows outside of the training; `trained`: requests of train rows. */
export const measure = (
  rows: ReadonlyArray<string>,
  trained: ReadonlyArray<string>,
  isUnlike: (text: string) => boolean
): Unlike => {
  const share = (textOf: (row: string, index: number) => string) =>
    rows.length === 0 ? 0 : rows.filter((row, index) => isUnlike(textOf(row, index))).length / rows.length
  const line = commonLine(rows)
  const changes = {
    ...HarmlessChanges.measuredChanges,
    ...(line === undefined ? {} : { without_common_line: without(line) })
  }
  const sharesOf = (texts: Readonly<Record<string, (row: string, index: number) => string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, textOf]) => [name, share(textOf)]))
  return {
    rows: rows.length,
    as_they_are: share((row) => row),
    changed: sharesOf(changes),
    others: sharesOf({ ...OtherTexts.measuredTexts(trained), numbered_list: (_, index) => listFrom(rows, index) })
  }
}
