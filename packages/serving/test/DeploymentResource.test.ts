import { assert, describe, it } from "@effect/vitest"
import type { DeploymentFigures } from "@limbeck/capture/call/CallStore"
import { renderFigures } from "../src/deployment/DeploymentResource.ts"
import * as AgreementRules from "../src/guard/AgreementRules.ts"
import * as DifferenceRules from "../src/guard/DifferenceRules.ts"

const figures: DeploymentFigures = {
  calls: { upstream: 20, student: 70, shadow: 0, upstream_fallback: 10, mixed: 0 },
  failed: 3,
  shadowed: 8,
  shadowFailed: 2,
  compared: 6,
  agreed: 3,
  studentMillisMean: 1.5,
  upstreamMillisMean: 800,
  upstreamCostMicros: 100,
  studentMicros: 0,
  upstreamCostedCalls: 30,
  partialCostMicros: 0,
  partialCostedCalls: 0,
  verificationCostMicros: 0,
  verificationCostedCalls: 0,
  questions: [
    { question: "qst_a", name: "angry", asked: 40, answeredHere: 25 },
    { question: "qst_b", name: null, asked: 12, answeredHere: 0 }
  ],
  shadowQuestions: [
    { question: "qst_b", name: null, compared: 5, agreed: 4 },
    { question: "qst_c", name: "topic", compared: 3, agreed: 3 }
  ]
}

const compared = {
  question: "qst_a",
  comparisons: AgreementRules.of({ compared: 9, agreed: 7 }),
  difference: DifferenceRules.none
}

describe("the figures of a deployment", () => {
  it("are what was counted, a share, and what the student's answers would have cost upstream", () =>
    assert.deepStrictEqual(renderFigures({ figures, questions: [compared] }), {
      calls: figures.calls,
      failed: 3,
      shadowed: 8,
      shadow_failed: 2,
      compared: 6,
      agreed: 3,
      agreement: 0.5,
      student_latency_ms_mean: 1.5,
      upstream_latency_ms_mean: 800,
      upstream_cost_usd: 0.0001,
      upstream_cost_usd_mean: 0.000003,
      // 70 times a thirtieth of 100 micro-dollars, rounded once at the end.
      cost_saved_usd: 0.000233,
      questions: [
        { question: "qst_a", name: "angry", answered_here: 25, asked: 40, compared: 9, disagreed: 2 },
        { question: "qst_b", name: null, answered_here: 0, asked: 12, compared: 5, disagreed: 1 },
        { question: "qst_c", name: "topic", answered_here: 0, asked: 3, compared: 3, disagreed: 0 }
      ]
    }))

  it("save by requests for a part what the upstream counts less for them than for whole ones (P1549)", () => {
    const mixed = { ...figures, partialCostMicros: 20, partialCostedCalls: 10 }
    // Whole ones cost 4 micro-dollars on average: 80 for 20, and with what verifies 120 for 30.
    assert.strictEqual(renderFigures({ figures: mixed, questions: [] }).cost_saved_usd, 0.0003)
    const verified = { ...mixed, verificationCostMicros: 40, verificationCostedCalls: 10 }
    assert.strictEqual(renderFigures({ figures: verified, questions: [] }).cost_saved_usd, 0.0003)
    const partial = { ...mixed, upstreamCostMicros: 20, upstreamCostedCalls: 10 }
    assert.isNull(renderFigures({ figures: partial, questions: [] }).cost_saved_usd)
  })

  it("save less by what the student has paid for embeddings (P1772)", () => {
    const paid = renderFigures({ figures: { ...figures, studentMicros: 33 }, questions: [] })
    assert.strictEqual(paid.cost_saved_usd, 0.0002)
    const costly = renderFigures({ figures: { ...figures, studentMicros: 333 }, questions: [] })
    assert.strictEqual(costly.cost_saved_usd, -0.0001)
  })

  it("say nothing of what there is nothing to take them of", () => {
    const unseen = { ...figures, compared: 0, agreed: 0, upstreamCostMicros: 0, upstreamCostedCalls: 0 }
    const none = renderFigures({ figures: unseen, questions: [] })
    assert.deepInclude(none, { agreement: null, upstream_cost_usd_mean: null, cost_saved_usd: null })
    assert.strictEqual(none.upstream_cost_usd, 0)
  })
})
