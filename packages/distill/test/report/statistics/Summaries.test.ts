/** Comparisons, percentiles, calibration and costs. */
import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import { calibration } from "../../../src/report/statistics/internal/Calibration.ts"
import { compare } from "../../../src/report/statistics/internal/Comparison.ts"
import { perThousandCalls } from "../../../src/report/statistics/internal/Costs.ts"
import * as Intervals from "../../../src/report/statistics/internal/Intervals.ts"
import { percentiles, summarize } from "../../../src/report/statistics/internal/Quantiles.ts"

const pair = (student: number | null, teacher: number | null) => ({ student, teacher })

describe("a comparison", () => {
  it("counts wins, ties and losses of the student, and leaves out rows without both scores", () => {
    const pairs = [pair(1, 0), pair(0, 1), pair(0, 1), pair(0.5, 0.5), pair(null, 1), pair(1, null), pair(null, null)]
    const { interval, ...compared } = compare(pairs, 1)
    assert.deepStrictEqual(compared, {
      compared: 4,
      skipped: 3,
      wins: 1,
      ties: 1,
      losses: 2,
      student: 0.375,
      teacher: 0.625,
      difference: -0.25
    })
    assert.deepStrictEqual(interval, Intervals.ofMean([1, -1, -1, 0], 1) ?? null)
  })

  it("ties within the tolerance, and at it", () => {
    const pairs = [pair(0.75, 0.5), pair(0.5, 0.75), pair(0.875, 0.5)]
    assert.deepInclude(compare(pairs, 1, 0.25), { wins: 1, ties: 2, losses: 0 })
    assert.deepInclude(compare(pairs, 1), { wins: 2, ties: 0, losses: 1 })
    assert.deepInclude(compare([pair(0.4, 0.3), pair(0.3, 0.4)], 1, 0.1), { ties: 2 })
  })

  it("turns around with its sides, whatever the scores", () => {
    const bits = SeededRandom.make(5)
    const score = () => (bits() % 5) / 4
    for (let round = 0; round < 50; round++) {
      const pairs = Array.from({ length: 1 + (bits() % 30) }, () => pair(score(), score()))
      const one = compare(pairs, 1)
      const other = compare(
        pairs.map(({ student, teacher }) => pair(teacher, student)),
        1
      )
      assert.deepStrictEqual([one.wins, one.ties, one.losses], [other.losses, other.ties, other.wins])
      assert.strictEqual(one.wins + one.ties + one.losses, one.compared)
      assert.approximately(one.difference ?? Number.NaN, -(other.difference ?? Number.NaN), 1e-12)
      const { high = Number.NaN, low = Number.NaN } = one.interval ?? {}
      assert.isTrue(-1 <= low && low <= high && high <= 1)
    }
  })

  it("of nothing has no means and no interval", () => {
    const nothing = { compared: 0, student: null, teacher: null, difference: null, interval: null }
    assert.deepInclude(compare([], 1), { ...nothing, skipped: 0 })
    assert.deepInclude(compare([pair(null, 1)], 1), { ...nothing, skipped: 1 })
  })

  it("of paired rows is surer than of rows apart", () => {
    const bits = SeededRandom.make(11)
    const teachers = Array.from({ length: 200 }, () => bits() / 2 ** 32)
    const { interval } = compare(
      teachers.map((teacher) => pair(teacher - 0.01, teacher)),
      1
    )
    assert.isBelow(interval?.high ?? 1, 0)
  })
})

describe("percentiles", () => {
  it("are interpolated as the common default does", () => {
    // Hyndman and Fan (1996), type 7; NumPy, R and spreadsheets give these.
    assert.deepStrictEqual(percentiles([4, 1, 3, 2], [0, 25, 50, 75, 100]), [1, 1.75, 2.5, 3.25, 4])
    assert.deepStrictEqual(percentiles([15, 20, 35, 40, 50], [40]), [29])
    assert.deepStrictEqual(percentiles([7], [1, 99]), [7, 7])
    assert.isUndefined(percentiles([], [50]))
  })

  it("of latencies are ascending, and compare as numbers", () => {
    const values = Array.from({ length: 101 }, (_, index) => (index * 37) % 101).map((value) => value * 2)
    const expected = { count: 101, mean: 100, p50: 100, p90: 180, p95: 190, p99: 198, max: 200 }
    assert.deepStrictEqual(summarize(values), expected)
    assert.isUndefined(summarize([]))
  })
})

describe("calibration", () => {
  const said = (confidence: number, correct: boolean) => ({ confidence, correct })
  const many = (confidence: number, right: number, of: number) =>
    Array.from({ length: of }, (_, index) => said(confidence, index < right))

  it("weighs each bin's distance by its share", () => {
    const found = calibration([...many(0.75, 6, 10), ...many(0.95, 28, 30)])
    assert.approximately(found?.expectedError ?? 1, (10 * 0.15 + 30 * (0.95 - 28 / 30)) / 40, 1e-12)
    assert.deepInclude(found?.bins[7], { from: 0.7, to: 0.8, count: 10, accuracy: 0.6 })
    assert.strictEqual(
      found?.bins.reduce((sum, { count }) => sum + count, 0),
      40
    )
    assert.deepInclude(found?.bins[0], { count: 0, confidence: null, accuracy: null })
  })

  it("is 0 where confidence is frequency, and 1 where the surest are always wrong", () => {
    assert.strictEqual(calibration([...many(0.5, 5, 10), ...many(1, 4, 4)])?.expectedError, 0)
    assert.strictEqual(calibration(many(1, 0, 3))?.expectedError, 1)
    assert.isUndefined(calibration([]))
  })

  it("puts a confidence on an edge below it, also where its product rounds up", () => {
    for (const bins of [3, 7, 10, 15, 100]) {
      for (let edge = 1; edge <= bins; edge++) {
        const found = calibration([said(edge / bins, true)], bins)
        assert.strictEqual(found?.bins[edge - 1]?.count, 1, `${edge} of ${bins}`)
      }
      assert.strictEqual(calibration([said(0, false)], bins)?.bins[0]?.count, 1)
    }
  })
})

describe("costs", () => {
  it("are per 1,000 calls, in whole micro-dollars", () => {
    assert.strictEqual(perThousandCalls(2_500, 500), 5_000)
    assert.strictEqual(perThousandCalls(1, 3), 333)
    assert.strictEqual(perThousandCalls(0, 3), 0)
    assert.isUndefined(perThousandCalls(0, 0))
  })
})
