/** Patterns and schemas are tried in a thread of their own. */
import { assert, describe, it } from "@effect/vitest"
import { JsonSchemas } from "@limbeck/distill/reward/JsonSchemas"
import { Patterns } from "@limbeck/distill/reward/Patterns"
import * as CheckingThread from "@limbeck/node/reward/CheckingThread"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"

describe("the thread that checks", () => {
  it.live("says what is found and what is valid, and why something does not compile", () =>
    Effect.gen(function* () {
      const patterns = yield* Patterns
      const schemas = yield* JsonSchemas
      const find = Result.getOrThrow(yield* patterns.compile("^a+$"))
      assert.deepStrictEqual(yield* Effect.forEach(["aa", "b"], find), ["found", "absent"])
      const validate = Result.getOrThrow(yield* schemas.compile({ type: "array", uniqueItems: true }))
      assert.deepStrictEqual(yield* validate([1, 2]), { _tag: "Valid" })
      assert.strictEqual((yield* validate([1, 1]))._tag, "Invalid")
      const pattern = yield* patterns.compile("(")
      assert.match(Result.isFailure(pattern) ? pattern.failure : "", /^This pattern cannot be used/)
      const schema = yield* schemas.compile({ type: "nothing" })
      assert.match(Result.isFailure(schema) ? schema.failure : "", /^This schema cannot be used/)
    }).pipe(Effect.provide(CheckingThread.layer))
  )

  it.live("takes none of this thread's processor time, however costly a check is (P129)", () =>
    Effect.gen(function* () {
      const schemas = yield* JsonSchemas
      const validate = Result.getOrThrow(yield* schemas.compile({ type: "array", uniqueItems: true }))
      const items = Array.from({ length: 20_000 }, (_, n) => ({ n }))
      let turns = 0
      const counting = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        )
      )
      const verdicts = yield* Effect.forEach(Array.from({ length: 4 }), () => validate(items), {
        concurrency: "unbounded"
      })
      yield* Fiber.interrupt(counting)
      assert.deepStrictEqual(new Set(verdicts.map(({ _tag }) => _tag)), new Set(["TooCostly"]))
      assert.isAbove(turns, 1_000)
    }).pipe(Effect.provide(CheckingThread.layer))
  )
})
