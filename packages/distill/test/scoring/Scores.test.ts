import { assert, it } from "@effect/vitest"
import * as FairSlots from "@limbeck/core/pools/FairSlots"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { ReadyReward } from "@limbeck/distill/reward/Rewards"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as Scores from "../../src/scoring/internal/Scores.ts"

const row = { messages: [{ role: "user", content: "?" }], completion: "yes" } as const
const completions = Array.from({ length: DistillLimits.scoredMax }, () => ({ row, completion: "yes" }))

it.effect(
  "a judge is asked for a workspace at once beside any number of completions of one that never end (P820)",
  () =>
    Effect.gen(function* () {
      const slots = FairSlots.make(Pools.judgedCompletions)
      const [hostile, victim] = [Fresh.id("ws"), Fresh.id("ws")]
      const asked: Array<string> = []
      const scoresOf = (workspace: typeof hostile) => {
        const judge: ReadyReward = {
          reward: {
            id: Fresh.id("rwd"),
            name: "judge",
            rule: { kind: "llm_judge", config: { rubric: "Is it polite?", model: "gpt", scale: { min: 0, max: 1 } } },
            sealedSecret: null,
            createdAt: 0
          },
          score: () =>
            Effect.andThen(
              Effect.sync(() => asked.push(workspace)),
              Effect.never
            )
        }
        return Scores.of([judge], completions, {
          isRehearsal: false,
          inSlot: (question) => slots.run(workspace, question)
        })
      }
      const settle = Effect.repeat(Effect.yieldNow, { times: 100 })
      for (let request = 0; request < 20; request++) yield* Effect.forkChild(scoresOf(hostile))
      yield* settle
      assert.strictEqual(asked.length, sizeAlone(Pools.judgedCompletions.size))
      yield* Effect.forkChild(scoresOf(victim))
      yield* settle
      assert.include(asked, victim)
    })
)
