import { assert, describe, it } from "@effect/vitest"
import * as RehearsedTrainings from "@limbeck/executors/RehearsedTrainings"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as Effect from "effect/Effect"
import { all, resultOf, world } from "./Trainings.ts"

const stub = StubExecutor.make({ pace: 0 })
const rehearsing = { through: (trainer: typeof stub) => RehearsedTrainings.make({ stub, trainer }) }

describe("rehearsals by a trainer", () => {
  it.live("sft and grpo are the trainer's on the real rows, unpaid, and leave no artifact (P317)", () =>
    Effect.gen(function* () {
      const { attempt, starts } = yield* world({ dryRun: true, budgetMicros: 0 })
      const { asked, said } = yield* attempt("sft", rehearsing)
      assert.deepStrictEqual(resultOf(said), { details: { rows: 30 } })
      assert.deepStrictEqual(
        all(said, "Metric").map(({ name, value }) => [name, value]),
        [["rehearsed_rows", 30]]
      )
      assert.deepStrictEqual([all(said, "Spend"), all(said, "Checkpoint"), asked], [[], [], []])
      for (const kind of ["materialize", "eval", "publish"] as const) {
        const { result } = all((yield* attempt(kind, rehearsing)).said, "Finished")[0] ?? {}
        assert.deepStrictEqual(result, { stub: true }, kind)
      }
      assert.deepStrictEqual(resultOf((yield* attempt("grpo", rehearsing)).said), { details: {} })
      assert.deepStrictEqual(
        starts().map(({ kind }) => kind),
        ["sft", "grpo"]
      )
    })
  )

  it.live("what the trainer refuses fails the rehearsal in its words (P317)", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world({ dryRun: true, budgetMicros: 0 })
      const { failure } = yield* attempt("sft", { ...rehearsing, behavior: "give-up" })
      assert.deepStrictEqual([failure?.message, failure?.retryable], ["there is no accelerator here", false])
    })
  )
})
