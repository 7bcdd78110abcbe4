import { assert, describe, it } from "@effect/vitest"
import * as CalibrationFit from "../../src/builtin/internal/CalibrationFit.ts"
import { wilson } from "../../src/builtin/internal/Evaluation.ts"
import { generator } from "../../src/builtin/internal/Hashing.ts"

/** Rows of three labels, drawn by the softmax of their scores, which are then scaled by `factor`. */
const drawn = (factor: number, rows = 4_000): ReadonlyArray<CalibrationFit.RowScores> => {
  const next = generator(7)
  const luck = () => next() / 2 ** 32
  return Array.from({ length: rows }, () => {
    const scores = Float64Array.from([luck() * 4, luck() * 4, luck() * 4])
    const weights = scores.map(Math.exp)
    let place = luck() * weights.reduce((sum, weight) => sum + weight, 0)
    const label = weights.findIndex((weight) => {
      place -= weight
      return place < 0
    })
    return [{ scores: scores.map((score) => score * factor), label }]
  })
}

const judged = (row: CalibrationFit.RowScores, temperature: number) => {
  const { isRight, product } = CalibrationFit.judge(row, temperature)
  return { confidence: product, isRight }
}
const errorOf = (scored: ReadonlyArray<CalibrationFit.RowScores>, temperature: number) =>
  CalibrationFit.calibrationError(scored.map((one) => judged(one, temperature)))

describe("CalibrationFit", () => {
  it("finds the temperature that scores were told too great by", () => {
    for (const factor of [0.05, 0.5, 1, 3, 20]) {
      assert.closeTo(CalibrationFit.fitTemperature(drawn(factor)) / factor, 1, 0.1, `${factor}`)
    }
  })

  it("makes confidence mean what it says", () => {
    const scored = drawn(5)
    assert.isAbove(errorOf(scored, 1), 0.1)
    assert.isBelow(errorOf(scored, CalibrationFit.fitTemperature(scored)), 0.03)
  })

  it("is not certain because a handful of rows were all right", () => {
    const scored = [0, 1, 0].map((label) => [
      { scores: Float64Array.from([label === 0 ? 3 : 0, label === 1 ? 3 : 0]), label }
    ])
    const temperature = CalibrationFit.fitTemperature(scored)
    assert.isBelow(judged(scored[0]!, temperature).confidence, 0.9)
  })

  it("leaves scores as they are where there is nothing to fit", () => {
    assert.strictEqual(CalibrationFit.fitTemperature([]), 1)
    assert.strictEqual(CalibrationFit.fitTemperature([[{ scores: Float64Array.from([2]), label: 0 }]]), 1)
  })

  it("the calibration error is the distance between confidence and accuracy, bin by bin", () => {
    const judged = (confidence: number, right: number, wrong: number) => [
      ...Array.from({ length: right }, () => ({ confidence, isRight: true })),
      ...Array.from({ length: wrong }, () => ({ confidence, isRight: false }))
    ]
    assert.closeTo(CalibrationFit.calibrationError(judged(0.75, 3, 1)), 0, 1e-12)
    assert.closeTo(CalibrationFit.calibrationError([...judged(1, 1, 1), ...judged(0.25, 1, 1)]), 0.375, 1e-12)
    assert.strictEqual(CalibrationFit.calibrationError([]), 0)
  })

  it("Wilson's interval is that of the books", () => {
    const near = (
      { high, low }: { readonly low: number; readonly high: number },
      expected: readonly [number, number]
    ) => {
      assert.closeTo(low, expected[0], 5e-4)
      assert.closeTo(high, expected[1], 5e-4)
    }
    near(wilson(8, 10), [0.4902, 0.9433])
    near(wilson(0, 10), [0, 0.2775])
    near(wilson(10, 10), [0.7225, 1])
    near(wilson(0, 0), [0, 1])
  })
})

describe("knots", () => {
  /** Answers with this confidence, of which `rightOfTen` in ten are right. */
  const judged = (confidence: number, rightOfTen: number, count = 100) =>
    Array.from({ length: count }, (_, index) => ({ confidence, isRight: index % 10 < rightOfTen }))

  it("bring confidence to the share that was right, in order, and leave it where rows are too few (P205)", () => {
    const knots = CalibrationFit.knotsOf([...judged(0.3, 1), ...judged(0.6, 5), ...judged(0.99, 9)])
    for (const [given, right] of [
      [0.3, 0.1],
      [0.6, 0.5],
      [0.99, 0.9]
    ] as const) {
      assert.closeTo(CalibrationFit.correctProbability(knots, given), right, 0.03)
    }
    const given = Array.from({ length: 101 }, (_, index) => index / 100)
    const corrected = given.map((one) => CalibrationFit.correctProbability(knots, one))
    assert.deepStrictEqual(
      corrected,
      corrected.toSorted((a, b) => a - b)
    )
    assert.isTrue(corrected.every((one) => one >= 0 && one <= 1))
    assert.deepStrictEqual(CalibrationFit.knotsOf(judged(0.9, 5, 40)), [])
    assert.strictEqual(CalibrationFit.correctProbability([], 0.7), 0.7)
  })
})
