/** The judge of recommended thresholds, on a set whose truth is known. */
import { assert, describe, it } from "@effect/vitest"
import * as ThresholdTrials from "../src/ThresholdTrials.ts"

/** 600 sure and right answers, and 400 unsure ones, of which half is right. */
const rows = Array.from({ length: 1_000 }, (_, index): ThresholdTrials.Prediction => {
  const isSure = index < 600
  const gold = index % 2 === 0 ? "a" : "b"
  const isRight = isSure || index % 4 < 2
  return { gold, student: isRight ? gold : "c", confidence: isSure ? 0.9 : 0.5 }
})

describe("trials of thresholds", () => {
  it("find what is possible in hindsight, by the truth", () => {
    const [certain, noisy] = [ThresholdTrials.trafficOf(rows, 0), ThresholdTrials.trafficOf(rows, 0.3)]
    assert.strictEqual(certain.possible, 0.6)
    assert.strictEqual(noisy.possible, 1)
    assert.deepStrictEqual(certain.at(0.9), { share: 0.6, gained: 0, agreement: 1 })
    assert.deepStrictEqual(certain.at(0.95), { share: 0, gained: 0, agreement: 1 })
    assert.closeTo(certain.at(0.5).gained, -0.2, 1e-9)
    assert.closeTo(ThresholdTrials.trafficOf(rows, 0.25).at(0.5).gained, 0.05, 1e-9)
  })

  it("expect the agreement with a second answer that random answers have", () => {
    const traffic = ThresholdTrials.trafficOf(rows, 0.3)
    const next = ThresholdTrials.uniformOf(9)
    const items = Array.from({ length: 20_000 }, () => ThresholdTrials.drawItem(traffic, next))
    const agreed = items.filter(({ again, confidence, student, teacher }) => {
      const answer = confidence !== null && confidence >= 0.9 ? student : teacher
      return answer === again
    }).length
    assert.closeTo(traffic.at(0.9).agreement, agreed / items.length, 0.015)
  })

  it("leave calls to the fallback whose request is unlike the rows, at every threshold", () => {
    const unlike = rows.map((row, index) => (index < 600 ? { ...row, confidence: null } : row))
    assert.strictEqual(ThresholdTrials.trafficOf(unlike, 0).at(0).share, 0.4)
    assert.strictEqual(ThresholdTrials.trafficOf(unlike, 0).possible, 0)
    assert.strictEqual(ThresholdTrials.trafficOf(unlike, 0.5).possible, 0.4)
  })

  it("let teachers err as often as they are told to, each answer for itself", () => {
    const next = ThresholdTrials.uniformOf(3)
    const answers = Array.from({ length: 4_000 }, () => ThresholdTrials.answerOf("b", ["a", "b", "c"], 0.2, next))
    assert.closeTo(answers.filter((answer) => answer !== "b").length / 4_000, 0.2, 0.02)
    assert.strictEqual(ThresholdTrials.answerOf("a", ["a"], 1, next), "a")
  })

  it("recommend the sure answers of most holdouts and never the others, whether the teacher errs or not", () => {
    for (const noise of [0, 0.1]) {
      const trials = ThresholdTrials.of(ThresholdTrials.trafficOf(rows, noise), 300, 20)
      assert.isAtLeast(trials.share, 0.5)
      assert.isAtMost(trials.share, 0.6)
      assert.strictEqual(trials.broken, 0)
      assert.strictEqual(trials.recommended, 1)
      assert.isAtMost(trials.uncovered, 0.1)
    }
  })
})
