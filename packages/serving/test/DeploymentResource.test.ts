import { assert, describe, it } from "@effect/vitest"
import type { DeploymentFigures } from "@limbeck/capture/call/CallStore"
import { renderFigures } from "../src/deployment/DeploymentResource.ts"

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
  upstreamCostedCalls: 30
}

describe("the figures of a deployment", () => {
  it("are what was counted, a share, and what the student's answers would have cost upstream", () =>
    assert.deepStrictEqual(renderFigures(figures), {
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
      cost_saved_usd: 0.000233
    }))

  it("say nothing of what there is nothing to take them of", () => {
    const none = renderFigures({ ...figures, compared: 0, agreed: 0, upstreamCostMicros: 0, upstreamCostedCalls: 0 })
    assert.deepInclude(none, { agreement: null, upstream_cost_usd_mean: null, cost_saved_usd: null })
    assert.strictEqual(none.upstream_cost_usd, 0)
  })
})
