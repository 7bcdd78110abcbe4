/** Proposals and runs take rewards that exist in their partition, and name the first that does not (contract 5). */
import { assert, describe, it } from "@effect/vitest"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Reward from "@limbeck/distill/reward/Reward"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { builtin, request } from "@limbeck/testing/fixtures/Plans"
import * as Effect from "effect/Effect"
import { failureOf, live, stored, stranger, test, world } from "../run/World.ts"

const made = Effect.fnUntraced(function* (partition: Partition = live) {
  const id: Reward.RewardId = Fresh.id("rwd")
  const rule: Reward.Rule = { kind: "exact_match", config: {} }
  const reward = { id, name: "mine", rule, sealedSecret: null, createdAt: 0 }
  yield* (yield* ResourceStore).insert(partition, Reward.kind, reward)
  return id
})

const create = Effect.fnUntraced(function* (rewards: ReadonlyArray<string>, inEval: ReadonlyArray<string> = []) {
  const { id } = yield* stored()
  const evaluation = { kind: "eval", config: { rewards: inEval } }
  const recipeAsSent = { student_model: builtin, rewards, stages: [{ kind: "sft", config: {} }, evaluation] }
  return yield* (yield* Runs).create(live, request(id, { recipeAsSent }))
})

describe("a run's rewards", () => {
  it.effect("are taken where they exist, in the recipe and in its eval stage", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* made(), yield* made()]
      const { run } = yield* create([one, other, one], [other])
      assert.strictEqual(run.status, "queued")
    }).pipe(Effect.provide(world))
  )

  it.effect("are refused by the path of the first that is unknown, elsewhere or no id at all", () =>
    Effect.gen(function* () {
      const known = yield* made()
      for (const wrong of [yield* made(test), yield* made(stranger), Fresh.id("rwd"), "rwd_1", "", "rwd_\u0000"]) {
        const refused = { _tag: "ReferenceUnknown", resource: "reward", id: wrong }
        assert.deepInclude(yield* failureOf(create([known, wrong])), { ...refused, field: "recipe.rewards[1]" })
        const inEval = { ...refused, field: "recipe.stages[1].config.rewards[0]" }
        assert.deepInclude(yield* failureOf(create([known], [wrong])), inEval)
      }
    }).pipe(Effect.provide(world))
  )
})
