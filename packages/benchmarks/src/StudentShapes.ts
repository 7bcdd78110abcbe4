/** Generated rows for builtin students: a language dominated by few words, random texts, and others. */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

const next = SeededRandom.make(11)
export const share = () => next() / 2 ** 32
const letter = () => String.fromCharCode(97 + Math.floor(share() * 26))
export const word = () => Array.from({ length: 2 + Math.floor(share() * 9) }, letter).join("")
const vocabulary = Array.from({ length: 3_000 }, word)
/** As in language: few words are most of a text. */
export const frequentWord = () => vocabulary[Math.floor(vocabulary.length ** share()) - 1] ?? ""

export const digest = () => Array.from({ length: 32 }, () => Math.floor(share() * 16).toString(16)).join("")
export const hanzi = () => String.fromCharCode(0x4e00 + Math.floor(3_000 ** share()))
const systemPrompt = Array.from({ length: 350 }, frequentWord).join(" ")
export const withSystemPrompt = (row: Row): Row => ({
  ...row,
  messages: [{ role: "system", content: systemPrompt }, ...row.messages]
})

export const makeRows = (rows: number, words: number, labels: number, one: () => string): ReadonlyArray<Row> =>
  Array.from({ length: rows }, () => ({
    messages: [{ role: "user", content: Array.from({ length: words }, one).join(" ") }],
    completion: `label ${Math.floor(share() * labels)}`
  }))
