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

  it("counts answers by weight, in effective rows, and equal weights as none (P1310)", () => {
    const answers = answersOf(500, 3)
    const plain = AgreementCurve.of(answers)
    const equal = AgreementCurve.of(answers.map((answer) => ({ ...answer, weight: 2.5 })))
    assert.deepStrictEqual<AgreementCurve.AgreementCurve>(
      equal.map(({ share: _, ...point }) => point),
      plain
    )
    for (const [at, { share }] of AgreementCurve.render(equal).entries())
      assert.closeTo(share, AgreementCurve.render(plain)[at]?.share ?? Number.NaN, 1e-9)
    // 20 verified answers for 400 sure calls, and 100 that were not sure: the holdout has 120 rows.
    const verified = Array.from({ length: 20 }, (_, at) => ({ confidence: 0.9, agrees: at < 18, weight: 20 }))
    const others = Array.from({ length: 100 }, (_, at) => ({ confidence: 0.5, agrees: at < 50 }))
    const [all, half, sure] = AgreementCurve.render(AgreementCurve.of([...others, ...verified]))
    assert.deepInclude(sure, { threshold: 0.9, share: 400 / 500 })
    assert.deepStrictEqual(sure?.agreement, AgreementCurve.intervalOf({ answered: 20, agreed: 18 }))
    assert.deepStrictEqual(half, { ...all, threshold: 0.5 })
    const effective = Math.round(500 ** 2 / (20 * 400 + 100))
    assert.deepStrictEqual(
      all?.agreement,
      AgreementCurve.intervalOf({ answered: effective, agreed: Math.round((effective * 410) / 500) })
    )
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
