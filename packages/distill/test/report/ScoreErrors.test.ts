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
    { kind: "categories", answers: ["billing", "refund", "shipping"] },
    { kind: "words of two scales", answers: ["low", "medium", "always"] },
    { kind: "words of one place", answers: ["low", "medium", "moderate", "high"] },
    { kind: "two words", answers: ["low", "high"] },
    { kind: "numbers of two units", answers: ["1 star", "2 stars", "3/5"] },
    { kind: "two scores", answers: ["0", "1"] },
    { kind: "numbers of more than a scale", answers: Array.from({ length: 22 }, (_, at) => String(at)) },
    { kind: "scores and words", answers: ["1", "2", "3", "none"] }
  ])("$kind have no order (P1528)", ({ answers }) =>
    assert.isNull(advice(answers.map((answer) => [answer, answer])).scores)
  )

  it.each([
    { order: ["low", "medium", "high"] },
    { order: ["never", "sometimes", "always"] },
    { order: ["xs", "m", "xl"] },
    { order: ["negative", "neutral", "positive"] }
  ])("words with an order count by steps: $order (P1700)", ({ order: [first = "", second = "", third = ""] }) => {
    const { notes, scores } = advice([
      [third.toUpperCase(), first],
      [first, first],
      [second, `${third}.`],
      [first, "no idea"]
    ])
    assert.deepStrictEqual(scores, {
      scores: 3,
      mean_error: 1,
      constant_error: 2 / 3,
      within_one: 2 / 3,
      unscored: 1,
      words: [first, second, third]
    })
    assert.include(
      notes.join("\n"),
      `words with an order (${first} < ${second} < ${third}): the student's are 1.00 steps off`
    )
  })

  it("a word that the student alone gives is a step of the scale (P1700)", () => {
    const answers = [...["low", "high", "critical"].map((word) => [word, word] as const), ["high", "medium"] as const]
    assert.deepStrictEqual(advice(answers).scores, {
      scores: 3,
      mean_error: 1 / 4,
      constant_error: 3 / 4,
      within_one: 1,
      unscored: 0,
      words: ["low", "medium", "high", "critical"]
    })
  })

  it.each([
    { unit: "stars", writeOf: (score: number) => (score === 1 ? "1 star" : `${score} stars`) },
    { unit: "out of five", writeOf: (score: number) => `${score} out of 5` },
    { unit: "of five", writeOf: (score: number) => `${score}/5` }
  ])("ratings in $unit are numbers (P1700)", ({ writeOf }) => {
    const { scores } = advice([1, 3, 5].map((score) => [writeOf(score), writeOf(6 - score)]))
    assert.strictEqual(scores?.mean_error, 8 / 3)
    assert.isUndefined(scores?.words)
  })

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

  it("each field of ordered words has its own errors (P1700)", () => {
    const of = (priority: string, tone: string) => JSON.stringify({ priority, tone })
    const { fields } = advice([
      [of("low", "a"), of("low", "b")],
      [of("medium", "b"), of("high", "b")],
      [of("high", "a"), of("High", "a")]
    ])
    assert.deepStrictEqual(fields?.[0]?.scores?.words, ["low", "medium", "high"])
    assert.strictEqual(fields?.[0]?.scores?.mean_error, 1 / 3)
    assert.isNull(fields?.[1]?.scores)
  })
})
