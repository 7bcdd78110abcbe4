/** The separation of noise from hard rows. */
import { assert, describe, it } from "@effect/vitest"
import * as NoiseRules from "../../src/suspects/NoiseRules.ts"

const rows = 2_000

/** Confidence from 1 down to 0.5; every so many rows, as `each` says for a confidence, the model contradicts the answer. */
const judgments = (each: (confidence: number) => number) => {
  let due = 0
  return Array.from({ length: rows }, (_, index) => {
    const confidence = 1 - index / (2 * rows)
    due += each(confidence)
    const contradicts = due >= 1
    if (contradicts) due -= 1
    return { confidence, contradicts }
  })
}

describe("a contradiction", () => {
  it("is no noise where the surest judgments never contradict, however many others do (P1577)", () => {
    const hard = judgments((confidence) => Math.max(0, 0.9 - confidence))
    assert.strictEqual(NoiseRules.leastConfidence(hard), Number.POSITIVE_INFINITY)
  })

  it("is noise where the model contradicts about as many rows as where it is surest", () => {
    const dirty = judgments(() => 0.1)
    assert.isBelow(NoiseRules.leastConfidence(dirty), 0.51)
  })

  it("is noise down to the confidence at which the model's own errors are as many", () => {
    const both = judgments((confidence) => (confidence > 0.8 ? 0.1 : 0.4))
    const least = NoiseRules.leastConfidence(both)
    assert.isAbove(least, 0.75)
    assert.isBelow(least, 0.85)
  })

  it("is no noise among few judgments", () => {
    assert.strictEqual(NoiseRules.leastConfidence(judgments(() => 1).slice(0, 20)), Number.POSITIVE_INFINITY)
  })
})
