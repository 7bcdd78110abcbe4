import { assert, describe, it } from "@effect/vitest"
import { type Executor, Executors } from "@limbeck/distill/run/Executor"
import { layer } from "@limbeck/executors/Executors"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

const stub = StubExecutor.make({ pace: 0 })
const builtin: Executor = { name: "builtin", execute: () => Stream.empty }
const trainer: Executor = { name: "trainer", execute: () => Stream.empty }

const engines = ["builtin", "llm"] as const

describe("Executors", () => {
  it.effect("a dry run always runs on the stub, no matter which other executors there are", () =>
    Effect.gen(function* () {
      const executors = yield* Executors
      for (const engine of engines) {
        assert.deepStrictEqual(executors.choose({ dryRun: true, engine }), Result.succeed(stub))
      }
    }).pipe(Effect.provide(layer({ stub, builtin, llm: trainer })))
  )

  it.effect("a live run is taken by who is set up for it", () =>
    Effect.gen(function* () {
      const executors = yield* Executors
      assert.deepStrictEqual(executors.choose({ dryRun: false, engine: "builtin" }), Result.succeed(builtin))
      assert.deepStrictEqual(executors.choose({ dryRun: false, engine: "llm" }), Result.succeed(trainer))
    }).pipe(Effect.provide(layer({ stub, builtin, llm: trainer })))
  )

  it.effect("where nobody is set up, a live run is refused with what to set up", () =>
    Effect.gen(function* () {
      const executors = yield* Executors
      for (const engine of engines) {
        assert.isTrue(Result.isFailure(executors.choose({ dryRun: false, engine })))
      }
      const refusal = Result.getFailure(executors.choose({ dryRun: false, engine: "llm" }))
      assert.match(JSON.stringify(refusal), /set [A-Z_]+=?/)
    }).pipe(Effect.provide(layer({ stub })))
  )

  it.effect("a run finds the executor that it names, and no other", () =>
    Effect.gen(function* () {
      const executors = yield* Executors
      assert.strictEqual(executors.find("stub"), stub)
      assert.strictEqual(executors.find("trainer"), trainer)
      assert.isUndefined(executors.find("ray"))
    }).pipe(Effect.provide(layer({ stub, builtin, llm: trainer })))
  )
})
