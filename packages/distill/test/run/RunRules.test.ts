import { assert, describe, it } from "@effect/vitest"
import type { Run } from "@limbeck/distill/run/Run"
import { request } from "@limbeck/testing/fixtures/Plans"
import * as Result from "effect/Result"
import { checkBudget, checkProof, checkProofShape, checkRetry } from "../../src/run/internal/RunRules.ts"
import { newRun } from "./MachineRuns.ts"

const param = "budget.max_cost_usd"
const hash = "cd".repeat(32)

const failure = <A, E>(result: Result.Result<A, E>): E | undefined =>
  Result.isFailure(result) ? result.failure : undefined

describe("RunRules", () => {
  it("a budget is whole micro-dollars: above nothing for a live run, at least nothing for a dry run", () => {
    assert.deepStrictEqual(checkBudget(12.345678, false), Result.succeed(12_345_678))
    assert.deepStrictEqual(checkBudget(0.000001, false), Result.succeed(1))
    assert.deepStrictEqual(checkBudget(0, true), Result.succeed(0))
    assert.deepInclude(failure(checkBudget(0, false)), { _tag: "InvalidInput", param })
    for (const dryRun of [true, false]) {
      for (const budget of [-1, -0.000001, 0.0000001, 1e300, Number.NaN, Number.POSITIVE_INFINITY]) {
        assert.deepInclude(failure(checkBudget(budget, dryRun)), { _tag: "InvalidInput", param })
      }
    }
  })

  it("a rehearsal and its plan hash come together or not at all; the one that is missing is named", () => {
    assert.isUndefined(failure(checkProofShape(undefined, undefined)))
    assert.isUndefined(failure(checkProofShape("run_1", hash)))
    assert.deepInclude(failure(checkProofShape("run_1", undefined)), { _tag: "InvalidInput", param: "plan_hash" })
    assert.deepInclude(failure(checkProofShape(undefined, hash)), { _tag: "InvalidInput", param: "validated_dry_run" })
  })

  it("a live run is let through with no rehearsal, or with one that succeeded on the very same plan (P31)", () => {
    const asked = request("dsv_1", { dryRun: false, planHash: hash })
    const rehearsed = { dryRun: true, status: "succeeded", planHash: hash, datasetVersion: "dsv_1" } as const
    const rehearsal: Run = { ...newRun(["sft"]), ...rehearsed }
    assert.isUndefined(failure(checkProof(asked, null, hash)))
    assert.isUndefined(failure(checkProof(asked, rehearsal, hash)))
    const other = "ef".repeat(32)
    const refused = [
      [asked, { ...rehearsal, dryRun: false }, hash, { fault: "not_a_dry_run" }],
      [asked, { ...rehearsal, status: "failed" }, hash, { fault: "not_succeeded", status: "failed" }],
      [asked, { ...rehearsal, status: "evaluating" }, hash, { fault: "not_succeeded", status: "evaluating" }],
      [{ ...asked, planHash: other }, rehearsal, hash, { approved: other, actual: hash }],
      // The rehearsal's hash, and this request is another plan.
      [asked, rehearsal, other, { approved: hash, actual: other }],
      // The right hash, and the rehearsal was of another plan.
      [asked, { ...rehearsal, planHash: other }, hash, { fault: "another_plan" }],
      // The same rows under another version.
      [asked, { ...rehearsal, datasetVersion: "dsv_2" }, hash, { fault: "another_version" }]
    ] as const
    for (const [asked, rehearsal, hash, facts] of refused) {
      assert.deepInclude(failure(checkProof(asked, rehearsal, hash)), facts)
    }
  })

  it("a retry begins at the first open stage, or at one that has all results before it", () => {
    const statuses = ["succeeded", "succeeded", "skipped", "failed", "pending"] as const
    const run = newRun(["sft", "eval", "publish"])
    const stopped: Run = {
      ...run,
      status: "failed",
      stages: run.stages.map((stage, index) => ({ ...stage, status: statuses[index] ?? "pending" }))
    }
    assert.deepStrictEqual(checkRetry(stopped, null), Result.succeed(4))
    for (const seq of [1, 2, 4]) assert.deepStrictEqual(checkRetry(stopped, seq), Result.succeed(seq))
    assert.deepInclude(failure(checkRetry(stopped, 3)), { _tag: "StageNotRetryable", stage: 3, open: null })
    assert.deepInclude(failure(checkRetry(stopped, 5)), { _tag: "StageNotRetryable", stage: 5, open: 4 })
    for (const seq of [0, 6, -1, 1.5]) {
      assert.deepInclude(failure(checkRetry(stopped, seq)), { _tag: "InvalidInput", param: "from_stage" })
    }
  })
})
