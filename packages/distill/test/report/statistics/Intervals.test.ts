/** Intervals agree with published values, and keep the laws that any interval of a mean keeps. */
import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import * as Intervals from "../../../src/report/statistics/internal/Intervals.ts"

const drawn = (count: number, seed: number): ReadonlyArray<number> => {
  const bits = SeededRandom.make(seed)
  return Array.from({ length: count }, () => bits() / 2 ** 32)
}

const meanOf = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

const of = (interval: Intervals.Interval | undefined): Intervals.Interval => {
  assert.isDefined(interval)
  return interval! // It was just asserted.
}

describe("Wilson's interval", () => {
  // Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3.
  const published = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718]
  ] as const

  it("has the values that Newcombe published", () => {
    for (const [successes, trials, low, high] of published) {
      const interval = of(Intervals.wilson(successes, trials))
      assert.deepStrictEqual([Number(interval.low.toFixed(4)), Number(interval.high.toFixed(4))], [low, high])
      assert.strictEqual(interval.method, "wilson")
    }
  })

  it("ends where the score test says that the share is just not refused", () => {
    for (const trials of [1, 2, 7, 50, 1_000]) {
      for (let successes = 0; successes <= trials; successes += Math.ceil(trials / 10)) {
        const { high, low } = of(Intervals.wilson(successes, trials))
        for (const end of [low, high].filter((end) => end > 0 && end < 1)) {
          const statistic = Math.abs(successes / trials - end) / Math.sqrt((end * (1 - end)) / trials)
          assert.approximately(statistic, 1.959963984540054, 1e-9)
        }
      }
    }
  })

  it("holds the share, stays within 0 and 1, mirrors, and narrows with more trials", () => {
    for (let successes = 0; successes <= 40; successes++) {
      const { high, low } = of(Intervals.wilson(successes, 40))
      assert.isTrue(0 <= low && low <= successes / 40 && successes / 40 <= high && high <= 1)
      const mirrored = of(Intervals.wilson(40 - successes, 40))
      assert.approximately(mirrored.low, 1 - high, 1e-12)
      const more = of(Intervals.wilson(successes * 10, 400))
      assert.isBelow(more.high - more.low, high - low)
    }
    assert.isUndefined(Intervals.wilson(0, 0))
  })
})

describe("the interval of a mean", () => {
  it("is the same for the same seed and the same values in any order, and another for another seed", () => {
    const values = drawn(100, 1)
    const interval = Intervals.ofMean(values, 7)
    assert.deepStrictEqual(Intervals.ofMean(values.toReversed(), 7), interval)
    assert.notDeepEqual(Intervals.ofMean(values, 8), interval)
  })

  it("is close to the normal one where the values are many, and says that it is a bootstrap", () => {
    const values = drawn(4_000, 2)
    const { high, low, method } = of(Intervals.ofMean(values, 3))
    const mean = meanOf(values)
    const deviation = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
    const reach = (1.96 * deviation) / Math.sqrt(values.length)
    assert.strictEqual(method, "bootstrap_percentile")
    assert.approximately(low, mean - reach, reach / 10)
    assert.approximately(high, mean + reach, reach / 10)
  })

  it("of very many values is the normal one, and meets the bootstrap where they change over", () => {
    const values = drawn(10_001, 4)
    const normal = of(Intervals.ofMean(values, 5))
    const bootstrap = of(Intervals.ofMean(values.slice(1), 5))
    assert.deepStrictEqual([normal.method, bootstrap.method], ["normal", "bootstrap_percentile"])
    const width = normal.high - normal.low
    assert.approximately(normal.low, bootstrap.low, width / 10)
    assert.approximately(normal.high, bootstrap.high, width / 10)
  })

  it("holds the true mean in about 95 of 100 samples", () => {
    const hits = Array.from({ length: 300 }, (_, round) => of(Intervals.ofMean(drawn(60, round + 10), round))).filter(
      ({ high, low }) => low <= 0.5 && 0.5 <= high
    ).length
    assert.isAtLeast(hits / 300, 0.91)
    assert.isAtMost(hits / 300, 0.985)
  })

  it("shifts and scales with the values", () => {
    const values = drawn(50, 6)
    const { high, low } = of(Intervals.ofMean(values, 9))
    const scaled = of(
      Intervals.ofMean(
        values.map((value) => 3 * value - 1),
        9
      )
    )
    assert.approximately(scaled.low, 3 * low - 1, 1e-9)
    assert.approximately(scaled.high, 3 * high - 1, 1e-9)
  })

  it("of equal values is that value, also where doubles round; of none there is none", () => {
    assert.deepInclude(Intervals.ofMean([0.1, 0.1, 0.1], 1), { low: 0.1, high: 0.1 })
    assert.deepInclude(Intervals.ofMean([0.7], 1), { low: 0.7, high: 0.7 })
    assert.isUndefined(Intervals.ofMean([], 1))
  })
})

describe("the interval of scores", () => {
  it("is Wilson's where every score is 0 or 1, else a bootstrap", () => {
    assert.deepStrictEqual(Intervals.ofScores([1, 0, 1, 1], 1), Intervals.wilson(3, 4))
    assert.deepStrictEqual(Intervals.ofScores([1, 0.5, 0], 1), Intervals.ofMean([1, 0.5, 0], 1))
    assert.isUndefined(Intervals.ofScores([], 1))
  })
})
