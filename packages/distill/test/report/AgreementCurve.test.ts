/** Agreement by threshold. */
import { assert, describe, it } from "@effect/vitest"
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

const answersOf = (count: number, seed: number) => {
  const bits = SeededRandom.make(seed)
  const uniform = () => bits() / 2 ** 32
  return Array.from({ length: count }, () => {
    const confidence = uniform()
    return { confidence: uniform() < 0.05 ? null : confidence, agrees: uniform() < confidence }
  })
}

describe("AgreementCurve", () => {
  it("counts at each threshold the answers that are as sure, and at most 200 thresholds are told (P1143)", () => {
    for (const count of [1, 2, 40, 199, 500, 5_000]) {
      const answers = answersOf(count, count)
      const curve = AgreementCurve.of(answers)
      assert.isAtMost(curve.length, 200)
      assert.deepInclude(curve[0], { threshold: 0, answered: count })
      for (const { agreed, answered, threshold } of curve.slice(1)) {
        const those = answers.filter(({ confidence }) => (confidence ?? 0) >= threshold)
        assert.deepStrictEqual([answered, agreed], [those.length, those.filter(({ agrees }) => agrees).length])
        assert.strictEqual(threshold, Math.round(threshold * 10_000) / 10_000)
      }
      const thresholds = curve.map(({ threshold }) => threshold)
      assert.deepStrictEqual(
        thresholds,
        [...new Set(thresholds)].toSorted((a, b) => a - b)
      )
    }
  })

  it("of a threshold between two counts the answers that are as sure, and of one that it left out no surer ones (P1143)", () => {
    const curve = AgreementCurve.of([
      { agrees: true, confidence: 0.9 },
      { agrees: false, confidence: 0.5 }
    ])
    assert.deepStrictEqual(AgreementCurve.at(curve, 0.7), { threshold: 0.9, answered: 1, agreed: 1 })
    assert.deepStrictEqual(AgreementCurve.at(curve, 0.5), { threshold: 0.5, answered: 2, agreed: 1 })
    assert.deepStrictEqual(AgreementCurve.at(curve, 0.95), { threshold: 0.95, answered: 0, agreed: 0 })
    const answers = answersOf(5_000, 7)
    const left = AgreementCurve.at(AgreementCurve.of(answers), 0.50005)
    const those = answers.filter(({ confidence }) => (confidence ?? 0) >= 0.50005).length
    assert.isTrue((left?.threshold ?? 1) <= 0.50005 && (left?.answered ?? 0) >= those)
    assert.isUndefined(AgreementCurve.at([], 0.5))
  })

  it("is shown without a division by zero: no rows, one row, all wrong, no confidence (P1143)", () => {
    assert.deepStrictEqual(AgreementCurve.render(AgreementCurve.of([])), [])
    assert.isNull(AgreementCurve.intervalOf({ answered: 0, agreed: 0 }))
    for (const answers of [
      [{ agrees: false, confidence: 1 }],
      [{ agrees: true, confidence: 0 }],
      [{ agrees: true, confidence: null }],
      Array.from({ length: 30 }, () => ({ agrees: false, confidence: 0.25 }))
    ]) {
      for (const { agreement, share } of AgreementCurve.render(AgreementCurve.of(answers))) {
        assert.strictEqual(share, 1)
        assert.isTrue([agreement?.value, agreement?.low, agreement?.high].every(Number.isFinite))
      }
    }
  })
})
