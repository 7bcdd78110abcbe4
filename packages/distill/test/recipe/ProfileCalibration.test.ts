import { assert, describe, it } from "@effect/vitest"
import { stubName } from "@limbeck/distill/run/Executor"
import type { Run } from "@limbeck/distill/run/Run"
import { calibrationOf } from "../../src/recipe/internal/ProfileCalibration.ts"
import { newRun } from "../run/MachineRuns.ts"

const liveRun = newRun(["sft", "eval"])

const took = (gpuSeconds: number, estimated: number | null, over: Partial<Run> = {}): Run => ({
  ...liveRun,
  totals: { gpuSeconds, judgeTokens: 0, costMicros: 0 },
  estimate: estimated === null ? null : { gpuSeconds: estimated, costMicros: 1 },
  executor: "builtin",
  ...over
})

describe("ProfileCalibration", () => {
  it("says how long runs took over what they were estimated to take, in the middle and at both ends", () => {
    assert.deepStrictEqual(calibrationOf(liveRun.compute.profile, [took(1, 2), took(3, 2), took(4, 2)]), {
      runs: 3,
      median_ratio: 1.5,
      lowest_ratio: 0.5,
      highest_ratio: 2
    })
  })

  it("knows nothing from stubs, from runs on another profile, and from runs that nobody could estimate", () => {
    const elsewhere = { compute: { ...liveRun.compute, profile: "elsewhere" } }
    const runs = [took(1, 2, { executor: stubName }), took(1, 2, elsewhere), took(1, null), took(1, 0)]
    assert.isNull(calibrationOf(liveRun.compute.profile, runs))
    assert.isNull(calibrationOf(liveRun.compute.profile, []))
  })
})
