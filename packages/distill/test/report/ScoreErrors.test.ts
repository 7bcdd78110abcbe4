import { assert, describe, it } from "@effect/vitest"
import * as Advice from "@limbeck/distill/report/Advice"

const costs = { student: null, teacher: null }
const advice = (pairs: ReadonlyArray<readonly [teacher: string, student: string, weight?: number]>) =>
  Advice.make(
    pairs.map(([teacher, student, weight = 1]) => ({
      teacher,
      student,
      agrees: teacher === student,
      confidence: null,
      weight
    })),
    costs,
    0
  )

describe("ordered scores in the report", () => {
  it("the mean error counts by distance and weight, beside the constant answer's and the share within one step (P1528)", () => {
    const { labels, notes, scores } = advice([
      ["1", "1"],
      ["1", "2"],
      ["3", "3"],
      ["5", "1", 2],
      ["5", "good"]
    ])
    assert.deepStrictEqual(scores, {
      scores: 3,
      mean_error: 9 / 5,
      constant_error: 8 / 5,
      within_one: 2 / 5,
      unscored: 1
    })
    assert.strictEqual(labels.length, 0)
    assert.include(
      notes,
      "The answers are scores: the student's are 1.80 off on average, always giving the median would be 1.60 off."
    )
  })

  it.each([
    { kind: "words", answers: ["low", "high", "medium"] },
    { kind: "two scores", answers: ["0", "1"] },
    { kind: "numbers of more than a scale", answers: Array.from({ length: 22 }, (_, at) => String(at)) },
    { kind: "scores and words", answers: ["1", "2", "3", "none"] }
  ])("$kind have no order (P1528)", ({ answers }) =>
    assert.isNull(advice(answers.map((answer) => [answer, answer])).scores)
  )

  it("each field of scores has its own errors (P1528)", () => {
    const of = (clear: number, tone: string) => JSON.stringify({ clear, tone })
    const { fields, scores } = advice([
      [of(1, "a"), of(1, "b")],
      [of(2, "a"), of(4, "a")],
      [of(3, "b"), of(3, "b")],
      [of(4, "b"), of(4, "b")]
    ])
    assert.isNull(scores)
    assert.deepStrictEqual(
      fields?.map(({ field, scores }) => [field, scores?.mean_error]),
      [
        ["clear", 0.5],
        ["tone", undefined]
      ]
    )
  })
})
