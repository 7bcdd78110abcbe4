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
    assert.strictEqual(ThresholdTrials.possible(rows, 0), 0.6)
    assert.strictEqual(ThresholdTrials.possible(rows, 0.3), 1)
    assert.deepStrictEqual(ThresholdTrials.judge(rows, 0.9, 0), { share: 0.6, gained: 0 })
    assert.closeTo(ThresholdTrials.judge(rows, 0.5, 0).gained, -0.2, 1e-9)
    assert.closeTo(ThresholdTrials.judge(rows, 0.5, 0.25).gained, 0.05, 1e-9)
  })

  it("let teachers err as often as they are told to, each answer for itself", () => {
    const next = ThresholdTrials.uniformOf(3)
    const answers = Array.from({ length: 4_000 }, () => ThresholdTrials.answerOf("b", ["a", "b", "c"], 0.2, next))
    assert.closeTo(answers.filter((answer) => answer !== "b").length / 4_000, 0.2, 0.02)
    assert.strictEqual(ThresholdTrials.answerOf("a", ["a"], 1, next), "a")
  })

  it("recommend the sure answers of most holdouts and never the others, whether the teacher errs or not", () => {
    for (const noise of [0, 0.1]) {
      const trials = ThresholdTrials.of(rows, noise, 300, 20)
      assert.isAtLeast(trials.share, 0.5)
      assert.isAtMost(trials.share, 0.6)
      assert.strictEqual(trials.broken, 0)
      assert.strictEqual(trials.recommended, 1)
      assert.isAtMost(trials.uncovered, 0.3)
    }
  })
})
