import { assert, describe, it } from "@effect/vitest"
import * as LearningCurve from "../../src/report/LearningCurve.ts"

const shares = [0.125, 0.25, 0.5, 1]
/** A student that disagrees in 40 % of the rows after 100 rows, and less by a power of them. */
const curveOf = (exponent: number, compared = 1_000) =>
  shares.map((share) => ({
    share,
    rows: 800 * share,
    compared,
    agreed: compared * (1 - 0.4 * (8 * share) ** -exponent)
  }))

describe("LearningCurve", () => {
  it("twice as many rows bring what the power law of the disagreement says (P1587)", () => {
    for (const exponent of [0, 0.2, 0.5, 1]) {
      const twice = LearningCurve.twiceAsMany(curveOf(exponent))
      const expected = 1 - 0.4 * 16 ** -exponent
      assert.strictEqual(twice?.rows, 1_600)
      assert.closeTo(twice?.exponent ?? -1, exponent, 1e-9)
      assert.closeTo(twice?.agreement ?? -1, expected, 1e-9)
      assert.closeTo(twice?.gain ?? -1, 0.4 * 8 ** -exponent - 0.4 * 16 ** -exponent, 1e-9)
    }
    // A curve that falls promises no loss.
    assert.strictEqual(LearningCurve.twiceAsMany(curveOf(-0.2))?.gain, 0)
    assert.isNull(LearningCurve.twiceAsMany([]))
    assert.isNull(LearningCurve.twiceAsMany(curveOf(0.5).slice(0, 1)))
  })

  it("advises to wait from a point of gain on, and shows each share with its interval (P1587)", () => {
    const noteOf = (exponent: number) => LearningCurve.notesOf(curveOf(exponent)).join()
    assert.match(noteOf(0.5), /Twice as many rows \(1600\) would bring about 4.1 points.*worth waiting/)
    assert.match(noteOf(0.01), /hardly help/)
    assert.deepStrictEqual(LearningCurve.notesOf([]), [])
    const shown = LearningCurve.render(curveOf(0.5))
    assert.deepStrictEqual(
      shown.map(({ rows, share }) => [share, rows]),
      shares.map((share) => [share, 800 * share])
    )
    for (const { agreement } of shown) {
      assert.isBelow(agreement.low, agreement.value)
      assert.isAbove(agreement.high, agreement.value)
    }
    // A student without disagreement has nothing to gain.
    const perfect = shares.map((share) => ({ share, rows: 800 * share, compared: 100, agreed: 100 }))
    assert.strictEqual(LearningCurve.twiceAsMany(perfect)?.gain, 0)
  })
})
