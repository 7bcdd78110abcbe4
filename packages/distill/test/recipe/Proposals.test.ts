import { assert, describe, it } from "@effect/vitest"
import { Datasets } from "@limbeck/distill/dataset/Datasets"
import * as ComputeProfile from "@limbeck/distill/recipe/ComputeProfile"
import { type ProposalRequest, Proposals } from "@limbeck/distill/recipe/Proposals"
import * as StudentBase from "@limbeck/distill/recipe/StudentBase"
import * as StudentResource from "@limbeck/distill/recipe/StudentResource"
import * as Effect from "effect/Effect"
import * as ComputeProfileResource from "../../src/recipe/ComputeProfileResource.ts"
import { planHash } from "../../src/run/internal/PlanHash.ts"
import { built, jsonl, live, rowOf, test, uploaded, world } from "../upload/World.ts"

const labelled = jsonl(
  Array.from({ length: 40 }, (_, index) => rowOf(`prompt ${index}`, index % 2 === 0 ? "yes" : "no"))
)

const version = Effect.fnUntraced(function* (content = labelled) {
  return yield* built((yield* uploaded(content)).id, { holdoutFraction: 0.25 })
})

const propose = (datasetVersion: string, request: Partial<ProposalRequest> = {}, partition = live) =>
  Effect.flatMap(Proposals, (proposals) =>
    proposals.propose(partition, {
      datasetVersion,
      objective: "cost",
      maxCostUsd: 5,
      rewards: [],
      outcome: "deployable_student",
      ...request
    })
  )

const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: (error) => error, onSuccess: () => undefined })

describe("Proposals", () => {
  it.effect("labels are proposed the builtin student, and the answer is the same every time", () =>
    Effect.gen(function* () {
      const { holdoutRows, id } = yield* version()
      const proposal = yield* propose(id)
      assert.deepInclude(proposal, {
        object: "distill_recipe",
        livemode: true,
        case: "classification",
        student_model: "builtin/text-classifier",
        rewards: [],
        dataset_version: id,
        outcome: "deployable_student",
        budget: { max_cost_usd: 5 }
      })
      assert.deepStrictEqual(proposal.stages, [
        { kind: "sft", config: { epochs: 10 } },
        { kind: "eval", config: { rewards: [], sample: holdoutRows } },
        { kind: "publish", config: {} }
      ])
      assert.isBelow(proposal.estimate.cost_usd, 0.01)
      assert.deepStrictEqual(yield* propose(id), proposal)
    }).pipe(Effect.provide(world))
  )

  it.effect("its plan hash is that of a run with its recipe, the cost as budget, and the local profile (P26)", () =>
    Effect.gen(function* () {
      const { contentSha256, id } = yield* version()
      const { plan_hash, rewards, stages, student_model } = yield* propose(id, { maxCostUsd: 1.25 })
      const { gpu, id: profile, machine, spot } = ComputeProfile.local
      const expected = yield* planHash({
        data: contentSha256 ?? "",
        recipe: JSON.parse(JSON.stringify({ rewards, stages, student_model })),
        budget: { max_cost_usd: 1.25 },
        compute: { profile, machine, spot, gpu }
      })
      assert.strictEqual(plan_hash, expected)
      assert.notStrictEqual((yield* propose(id, { maxCostUsd: 1.26 })).plan_hash, expected)
      assert.notStrictEqual((yield* propose(id, { outcome: "report_only", maxCostUsd: 1.25 })).plan_hash, expected)
    }).pipe(Effect.provide(world))
  )

  it.effect("a version that is unknown, elsewhere, not ready or empty has no proposal", () =>
    Effect.gen(function* () {
      const ready = yield* version()
      const empty = yield* version("")
      const { source } = ready
      const building = yield* (yield* Datasets).createVersion(live, ready.dataset, { from: source })
      assert.deepInclude(yield* failureOf(propose("dsv_00000000000000000000000000")), { _tag: "NotFound" })
      assert.deepInclude(yield* failureOf(propose(ready.id, {}, test)), { _tag: "NotFound" })
      assert.deepInclude(yield* failureOf(propose(empty.id)), { _tag: "VersionEmpty", id: empty.id })
      const notReady = { _tag: "VersionNotReady", id: building.id, field: "dataset_version" } as const
      assert.deepInclude(yield* failureOf(propose(building.id)), notReady)
    }).pipe(Effect.provide(world))
  )

  it.effect("a cost that is no amount of money and a reward that does not exist are refused", () =>
    Effect.gen(function* () {
      const { id } = yield* version()
      for (const maxCostUsd of [-1, 0.000_000_1, Number.POSITIVE_INFINITY]) {
        assert.deepInclude(yield* failureOf(propose(id, { maxCostUsd })), { param: "max_cost_usd" })
      }
      assert.deepInclude(yield* failureOf(propose(id, { rewards: ["rwd_1"] })), {
        _tag: "ReferenceUnknown",
        field: "rewards[0]"
      })
    }).pipe(Effect.provide(world))
  )
})

describe("the catalog on the wire", () => {
  it("a student says what it takes", () =>
    assert.deepStrictEqual(StudentResource.render(StudentBase.builtin), {
      id: "builtin/text-classifier",
      object: "student_base",
      engine: "builtin",
      parameters: null,
      context_length: 1_048_576,
      stages: ["sft", "eval", "publish"],
      cases: ["classification", "decision"],
      license: "MIT"
    }))

  it("the local profile is there, and has a price", () => {
    const shown = ComputeProfile.standard.map((profile) => ComputeProfileResource.render(profile, null))
    const local = { id: "local", object: "compute_profile", machine: "this-machine", gpu: null, spot: false }
    assert.deepStrictEqual(shown[0], {
      ...local,
      object: "compute_profile",
      price_per_gpu_second: 0.0001,
      calibration: null
    })
    assert.isAtLeast(shown.length, 2)
  })
})
