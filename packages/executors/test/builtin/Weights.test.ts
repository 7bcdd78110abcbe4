/** Rows that stand for several calls of the traffic (contract 16.34). */
import { assert, describe, it } from "@effect/vitest"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import * as CalibrationFit from "../../src/builtin/internal/CalibrationFit.ts"
import { sha256 } from "../../src/builtin/internal/Container.ts"
import * as Evaluation from "../../src/builtin/internal/Evaluation.ts"
import type { Example } from "../../src/builtin/internal/Examples.ts"
import type { TrainingSet } from "../../src/builtin/internal/TrainingSet.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { exampleOf, examples, finish, modelOf, setOf, settings } from "./Sets.ts"

const given = settings()
const rows = examples(150)
const weighed = (weightOf: (index: number) => number): ReadonlyArray<Example> =>
  rows.map((row, index) => ({ ...row, weight: weightOf(index) }))

const learntFrom = (from: ReadonlyArray<Example>): string => {
  const { state } = finish(WeightTrainer.make(setOf(from, given), given))
  return sha256(new Uint8Array(state.learnt.buffer))
}

/** The digest before rows had weights. */
const withoutWeights = "8c0ca9d4ddd9898b63d512a834aaf103570b09a3c4a05aba19683210a7b53499"

const set = setOf(
  weighed((index) => (1 + (index % 3)) ** 2),
  given
)
const indexes = Uint32Array.from(set.weights.keys())
const weightedRows: TrainingSet = { ...set, training: indexes, validation: indexes }
const repeated = (timesOf: (weight: number) => number) =>
  Uint32Array.from([...indexes].flatMap((at) => Array.from({ length: timesOf(set.weights[at]!) }, () => at)))
const repeatedRows: TrainingSet = {
  ...set,
  weights: set.weights.map(() => 1),
  training: repeated(Math.sqrt),
  validation: repeated((weight) => weight)
}

const assertNear = (actual: ReadonlyArray<number>, expected: ReadonlyArray<number>) => {
  assert.strictEqual(actual.length, expected.length)
  for (const [at, value] of actual.entries()) assert.closeTo(value, expected[at] ?? Number.NaN, 1e-5)
}

describe("a row with a weight", () => {
  it("of 1, like each other row, gives the student that rows without weights give, bit by bit (P1160)", () => {
    assert.strictEqual(learntFrom(rows), withoutWeights)
    assert.strictEqual(learntFrom(weighed(() => 4)), withoutWeights)
    assert.notStrictEqual(learntFrom(weighed((index) => 1 + (index % 3))), withoutWeights)
    assert.strictEqual(
      setOf(
        weighed(() => 1),
        given
      ).fingerprint,
      setOf(rows, given).fingerprint
    )
  })

  it("adds to the training's loss and gradient what copies by the root of its weight would add (P1161)", () => {
    /** With great sums of squares and a small, even rate, the sum of all steps is proportional to the gradient. */
    const squares = 1e12
    const flat = settings({ epochs: 1e9, learningRate: 1e-30, decay: 0 })
    const once = (of: TrainingSet) => {
      const state = WeightTrainer.start(of)
      state.learnt.fill(squares)
      for (let at = 0; at < state.learnt.length; at += set.labels.length * 2)
        state.learnt.fill(0, at, at + set.labels.length)
      state.biasSquares.fill(squares)
      const { metrics } = WeightTrainer.make(of, flat, state).advance(of.training.length)
      // Steps of an epoch grow with its rows.
      const steps = Array.from(
        [...state.bias, ...WeightTrainer.weightsOf(of, state)],
        (sum) => sum / of.training.length
      )
      const length = Math.hypot(...steps)
      return { gradient: steps.map((step) => step / length), length, metrics }
    }
    const [weighted, repeated] = [once(weightedRows), once(repeatedRows)]
    assert.closeTo(weighted.length / repeated.length, 1, 1e-4)
    assertNear(weighted.gradient, repeated.gradient)
    for (const figure of ["trainLoss", "validationLoss"] as const)
      assert.closeTo(weighted.metrics?.[figure] ?? Number.NaN, repeated.metrics?.[figure] ?? 0, 1e-9)
  })

  it("counts in the calibration as its copies would (P1161)", () => {
    const trained = finish(WeightTrainer.make(weightedRows, given)).state
    const scored = WeightTrainer.make(weightedRows, given, trained).validate()
    const copies = WeightTrainer.make(repeatedRows, given, trained).validate()
    for (const temperature of [0.5, 1, 3])
      assert.closeTo(CalibrationFit.lossOf(scored, temperature), CalibrationFit.lossOf(copies, temperature), 1e-9)
    const judged = (of: ReadonlyArray<CalibrationFit.RowScores>) =>
      of.map((row) => {
        const { isRight, product, weight = 1 } = CalibrationFit.judge(row, 1)
        return { confidence: product, isRight, weight }
      })
    const [weighted, repeated] = [judged(scored), judged(copies)]
    assert.closeTo(CalibrationFit.calibrationError(weighted), CalibrationFit.calibrationError(repeated), 1e-9)
    const summaryOf = (of: typeof weighted) =>
      Evaluation.summarize(of.map((one) => ({ ...one, text: "", teacher: "" })))
    assert.closeTo(summaryOf(weighted).accuracy, summaryOf(repeated).accuracy, 1e-9)
    // Unequal weights tell less than as many copies.
    const width = ({ interval }: Evaluation.Summary) => interval.high - interval.low
    assert.isAbove(width(summaryOf(weighted)), width(summaryOf(repeated)))
  })

  it("is no evidence of more than one row (P1161)", () => {
    const answers = (weight: number) =>
      Array.from({ length: 100 }, (_, index) => ({
        confidence: index / 100,
        isRight: index % 3 > 0,
        weight: index === 0 ? weight : 1
      }))
    assert.isAbove(CalibrationFit.knotsOf(answers(1)).length, 1)
    assert.deepStrictEqual(CalibrationFit.knotsOf(answers(1e6)), [])
  })
})

describe("a student from the traffic of another", () => {
  it("is not worse by more than a point where verified answers stand for those that were not (P1162)", () => {
    const own = settings({ epochs: 8 })
    const first = modelOf(tickets({ rows: 600, seed: 1 }).map(exampleOf), own)
    const fresh = tickets({ rows: 2_000, seed: 3 }).map(exampleOf)
    const accuracy = (model: typeof first) =>
      Evaluation.summarize(fresh.map((row) => Evaluation.answer(model, row))).accuracy
    const verifiedEach = 5
    let easy = 0
    const traffic = tickets({ rows: 3_000, seed: 2 }).flatMap((ticket) => {
      const row = exampleOf(ticket)
      if (first.predict(row.turns).confidence < 0.9) return [row]
      return easy++ % verifiedEach === 0 ? [{ ...row, weight: verifiedEach }] : []
    })
    assert.isAbove(easy, 1_000)
    assert.isAtLeast(accuracy(modelOf(traffic, own)), accuracy(first) - 0.01)
  })
})
