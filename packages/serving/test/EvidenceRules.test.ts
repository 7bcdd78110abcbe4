/** What a student has shown of the answers that callers get. */
import { assert, describe, it } from "@effect/vitest"
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import * as Result from "effect/Result"
import * as EvidenceRules from "../src/guard/EvidenceRules.ts"

const noCalls = { compared: 0, agreed: 0, mostFrequent: 0 }

/** Sure of 60 rows and right in 58 of them, unsure of 40 and right in 20. */
const answers = Array.from({ length: 100 }, (_, index) => ({
  confidence: index < 60 ? 0.9 : 0.4,
  agrees: index < 58 || (index >= 60 && index < 80)
}))
const curve = AgreementCurve.of(answers)
const holdout = { rows: 100, agreed: 78, low: 0.69, high: 0.85, method: "wilson", mostFrequent: 40 }
const low = (agreed: number, answered: number): number =>
  AgreementCurve.intervalOf({ agreed, answered })?.low ?? Number.NaN

const evidenceAt = (threshold: number, shadow = { all: noCalls, answered: noCalls }) =>
  EvidenceRules.evidenceOf({ holdout, curve, threshold, shadow })

describe("the evidence of a student", () => {
  it("is of the rows that it answers at the threshold, and a floor that these show is granted (P1143)", () => {
    assert.deepInclude(evidenceAt(0), { from: "holdout", tally: { compared: 100, agreed: 78 }, low: low(78, 100) })
    assert.deepInclude(evidenceAt(0.8), { from: "holdout", tally: { compared: 60, agreed: 58 }, low: low(58, 60) })
    assert.strictEqual(evidenceAt(0.8)?.mostFrequentShare, 0.4)
    const asked = low(58, 60) - 0.001
    assert.deepStrictEqual(EvidenceRules.floorOf(evidenceAt(0.8), asked), Result.succeed(asked))
    assert.deepStrictEqual(EvidenceRules.floorOf(evidenceAt(0.8), null), Result.succeed(low(58, 60)))
    assert.isTrue(Result.isFailure(EvidenceRules.floorOf(evidenceAt(0), asked)))
  })

  it("adds up holdout and shadow: none replaces the other (P1143)", () => {
    const shadow = {
      all: { compared: 50, agreed: 45, mostFrequent: 20 },
      answered: { compared: 30, agreed: 29, mostFrequent: 14 }
    }
    const evidence = evidenceAt(0.8, shadow)
    assert.deepInclude(evidence, { from: "both", tally: { compared: 90, agreed: 87 }, low: low(87, 90) })
    assert.strictEqual(evidence?.mostFrequentShare, 60 / 150)
    // Fifty right calls raise the bound; in the past they lowered it.
    assert.isAbove(evidence?.low ?? 0, low(58, 60))
  })

  it("of shadow that contradicts the holdout is none (P1143)", () => {
    const wrong = { compared: 60, agreed: 0, mostFrequent: 20 }
    const many = { rows: 1_000, agreed: 950, low: 0.935, high: 0.96, method: "wilson", mostFrequent: 300 }
    const evidence = EvidenceRules.evidenceOf({
      holdout: many,
      curve: [{ threshold: 0, answered: 1_000, agreed: 950 }],
      threshold: 0,
      shadow: { all: wrong, answered: wrong }
    })
    const refusal = EvidenceRules.floorOf(evidence, null)
    assert.deepInclude(Result.isFailure(refusal) ? refusal.failure : {}, { lack: "shadow", compared: 60 })
  })

  it("is none without rows and calls, and finite for one row and for wrong rows (P1143)", () => {
    const none = EvidenceRules.evidenceOf({
      holdout: null,
      curve: [],
      threshold: 0.5,
      shadow: { all: noCalls, answered: noCalls }
    })
    assert.isNull(none)
    assert.isNull(
      EvidenceRules.evidenceOf({
        holdout: null,
        curve: AgreementCurve.of([]),
        threshold: 0,
        shadow: { all: noCalls, answered: noCalls }
      })
    )
    for (const agrees of [true, false]) {
      const one = AgreementCurve.of([{ agrees, confidence: 0.5 }])
      for (const threshold of [0, 0.5]) {
        const evidence = EvidenceRules.evidenceOf({
          holdout: null,
          curve: one,
          threshold,
          shadow: { all: noCalls, answered: noCalls }
        })
        assert.isTrue(Number.isFinite(evidence?.low) && Number.isFinite(evidence?.mostFrequentShare))
      }
    }
  })
})
