/** From the confidence that a student tells to the share of such answers that are right. */
import { assert, describe, it } from "@effect/vitest"
import * as ConfidenceMap from "@limbeck/distill/report/statistics/ConfidenceMap"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

const logOdds = (p: number) => Math.log(p / (1 - p))

/** Answers that are right with the probability that `truth` gives to their told confidence. */
const answersOf = (count: number, seed: number, truth: (confidence: number) => number) => {
  const bits = SeededRandom.make(seed)
  const uniform = () => (bits() + 0.5) / 2 ** 32
  return Array.from({ length: count }, () => {
    const confidence = uniform()
    return { confidence, agrees: uniform() < truth(confidence) }
  })
}

describe("ConfidenceMap", () => {
  it("finds the logistic curve that the answers follow, for 100 seeds (P1140)", () => {
    const truth = { slope: 0.6, intercept: -0.8 }
    let sum = 0
    for (let seed = 0; seed < 100; seed++) {
      const map = ConfidenceMap.fit(answersOf(1_000, seed, (told) => ConfidenceMap.apply(truth, told)))
      assert.isDefined(map)
      sum += ConfidenceMap.apply(map!, 0.9) - ConfidenceMap.apply(truth, 0.9)
    }
    // Each is off by .028 at most by chance (one standard error), and their mean by a tenth of that.
    assert.approximately(sum / 100, 0, 0.008)
    assert.approximately(ConfidenceMap.apply(truth, 0.9), 1 / (1 + Math.exp(-(0.6 * logOdds(0.9) - 0.8))), 1e-12)
  })

  it("keeps the order of answers, and stays inside of 0 and 1 at told confidences of 0 and 1 (P1140)", () => {
    const map = ConfidenceMap.fit(answersOf(300, 1, (told) => told))
    const told = [0, 1e-9, 0.01, 0.2, 0.5, 0.8, 0.99, 1]
    const mapped = told.map((confidence) => ConfidenceMap.apply(map!, confidence))
    assert.deepStrictEqual(
      mapped,
      mapped.toSorted((a, b) => a - b)
    )
    assert.isTrue(mapped.every((confidence) => confidence > 0 && confidence < 1))
  })

  it("is one number where the confidence tells nothing, or falls where answers are right (P1140)", () => {
    for (const answers of [
      answersOf(500, 3, (told) => 1 - told),
      Array.from({ length: 40 }, (_, index) => ({ confidence: 1, agrees: index % 4 > 0 }))
    ]) {
      const map = ConfidenceMap.fit(answers)!
      assert.approximately(
        ConfidenceMap.apply(map, 1),
        answers.filter(({ agrees }) => agrees).length / answers.length,
        0.02
      )
    }
  })

  it("is finite for no row, one row, and rows that are all right or all wrong (P1140)", () => {
    assert.isUndefined(ConfidenceMap.fit([]))
    for (const agrees of [true, false]) {
      for (const count of [1, 2, 500]) {
        for (const confidence of [0, 0.5, 1]) {
          const map = ConfidenceMap.fit(Array.from({ length: count }, () => ({ confidence, agrees })))!
          const mapped = ConfidenceMap.apply(map, confidence)
          assert.isTrue(
            agrees ? mapped > 0.5 && mapped < 1 : mapped > 0 && mapped < 0.5,
            `${agrees} ${count} ${mapped}`
          )
        }
      }
    }
  })
})
