import { assert, describe, it } from "@effect/vitest"
import * as AnswerCounter from "@limbeck/distill/dataset/AnswerCounter"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as TakenNumbers from "@limbeck/distill/dataset/TakenNumbers"
import * as Random from "@limbeck/distill/report/statistics/SeededRandom"
import * as Result from "effect/Result"

const words = ["invoice", "is", "late", "for", "the", "green", "house", "near", "station", "again", "we", "wait"]
const random = Random.make(Random.seedOf("numbers"))
const below = (count: number): number => random() % count
const sentence = (count: number): string => Array.from({ length: count }, () => words[below(words.length)]).join(" ")

/** Returns the detected fields after the given number of rows. */
const takenOf = (rowOf: (row: number) => readonly [request: string, answer: string], rows = 300) => {
  const counter = AnswerCounter.make()
  for (let row = 0; row < rows; row++) {
    const [request, answer] = rowOf(row)
    counter.add(answer, request)
  }
  const closed = counter.close()
  return Result.isFailure(closed) ? (closed.failure.taken ?? "open") : "closed"
}

/** A word of a sentence with its first and last place. */
const span = () => {
  const all = sentence(14).split(" ")
  const at = below(all.length)
  const start = all.slice(0, at).reduce((sum, text) => sum + text.length + 1, 0)
  return { text: all.join(" "), start, end: start + all[at]!.length }
}

describe("numbers that answers take from their requests", () => {
  it.each([
    { from: "the text", prefix: "", one: 0 },
    { from: "a text behind an instruction", prefix: "Find the place. Answer in JSON.\n", one: 0 },
    { from: "the text, counted from 1", prefix: "", one: 1 }
  ])("offsets in $from are no labels (P1527)", ({ one, prefix }) =>
    assert.deepStrictEqual(
      takenOf(() => {
        const { end, start, text } = span()
        return [prefix + text, JSON.stringify({ kind: "place", start: start + one, end: end + one })]
      }),
      ["end", "start"]
    )
  )

  it("a number that stands in the request is no label, as a field or alone (P1527)", () => {
    const request = (amount: number) => `${sentence(5)} ${amount} euros ${sentence(3)}`
    const field = () => {
      const amount = 10 + below(30)
      return [request(amount), JSON.stringify({ amount, kind: below(2) === 0 ? "debit" : "credit" })] as const
    }
    assert.deepStrictEqual(takenOf(field), ["amount"])
    const alone = () => {
      const amount = 10 + below(30)
      return [request(amount), String(amount)] as const
    }
    assert.deepStrictEqual(takenOf(alone), [""])
    assert.match(
      LabelRules.openReason({ outside: 300, different: 30, taken: ["end", "start"] }, 300),
      /the numbers of "end", "start" are taken from the request/
    )
  })

  it.each([
    { rows: 900, fields: ["amount"] },
    { rows: 1_100, fields: [] }
  ])("answers of $rows rows with a name of their own each take $fields (P1527)", ({ fields, rows }) => {
    const observer = TakenNumbers.observer()
    for (let row = 0; row < rows; row++)
      observer.add(`pays ${row} now`, JSON.stringify({ amount: row, [`of${row}`]: 1 }))
    assert.deepStrictEqual([...observer.fields()], fields)
  })

  it.each([
    { kind: "scores of a scale", rubric: "", answers: 10 },
    {
      kind: "scores of a rubric",
      rubric: `Rate it: ${Array.from({ length: 13 }, (_, at) => at).join(", ")}. `,
      answers: 13
    },
    {
      kind: "numbered categories",
      rubric: `${Array.from({ length: 40 }, (_, at) => `${at}: ${words[at % 12]}`).join("\n")}\n`,
      answers: 40
    },
    { kind: "categories of which one is usual", rubric: "Choose the category of this message: ", answers: 1 }
  ])("$kind stay labels (P1527)", ({ answers, rubric }) =>
    assert.strictEqual(
      takenOf(() => [rubric + sentence(12), String(below(100) < 8 ? below(30) : below(answers))]),
      "closed"
    )
  )
})
