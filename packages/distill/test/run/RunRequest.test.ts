import { assert, describe, it } from "@effect/vitest"
import * as RunRequest from "@limbeck/distill/run/RunRequest"
import { recipe, request } from "@limbeck/testing/fixtures/Plans"
import * as Result from "effect/Result"

const { recipe: decoded } = request("dsv_1")
const least = { datasetVersion: "dsv_1", recipe: decoded, recipeAsSent: recipe(["sft"]), maxCostUsd: 5 }
const live = { livemode: true }

const completed = (fields: Partial<RunRequest.RunRequest> = {}, mode = live) =>
  Result.getOrThrow(RunRequest.complete(mode, { ...least, ...fields }))

describe("RunRequest", () => {
  it("a field that is left out has its default, and null is the same as left out", () => {
    const expected = {
      ...least,
      name: null,
      studentModelName: null,
      profile: "local",
      dryRun: false,
      validatedDryRun: null,
      planHash: null,
      loop: null,
      retrains: null
    }
    assert.deepStrictEqual(completed(), expected)
    assert.deepStrictEqual(completed({ name: null, profile: null, dryRun: null, planHash: null, loop: null }), expected)
  })

  it("a field that is sent stays as it is", () => {
    const sent = { name: "a", studentModelName: "b", profile: "h100", dryRun: true, loop: "lop_1" }
    assert.deepInclude(completed({ ...sent, validatedDryRun: "run_1", planHash: "ab" }), {
      ...sent,
      validatedDryRun: "run_1",
      planHash: "ab"
    })
  })

  it("in test mode every run is a dry run", () => {
    assert.isTrue(completed({ dryRun: false }, { livemode: false }).dryRun)
    assert.isFalse(completed({ dryRun: false }).dryRun)
  })

  it("a rehearsal without its plan hash is refused, and so is the hash without the rehearsal", () => {
    for (const [fields, param] of [
      [{ validatedDryRun: "run_1" }, "plan_hash"],
      [{ planHash: "ab" }, "validated_dry_run"]
    ] as const) {
      const refused = Result.merge(
        Result.mapBoth(RunRequest.complete(live, { ...least, ...fields }), {
          onSuccess: () => undefined,
          onFailure: (failure) => failure.param
        })
      )
      assert.strictEqual(refused, param)
    }
  })

  it("the loop is the one named, else that of the version, else none", () => {
    assert.strictEqual(RunRequest.loopOf(completed({ loop: "lop_1" }), { loop: "lop_2" }), "lop_1")
    assert.strictEqual(RunRequest.loopOf(completed(), { loop: "lop_2" }), "lop_2")
    assert.isNull(RunRequest.loopOf(completed(), {}))
  })
})
