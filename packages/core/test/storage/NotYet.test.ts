import { assert, describe, it } from "@effect/vitest"
import { notFound } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import { NotYet, retryUntilReady } from "@limbeck/core/storage/NotYet"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const missing = notFound("thing", "thing_1")

/** Work whose resource arrives after this many looks. */
const coming = (after: number) => {
  let looks = 0
  return Effect.suspend(() => (++looks > after ? Effect.succeed(looks) : Effect.fail(new NotYet(missing))))
}

describe("what is not there yet", () => {
  it.effect("is looked for again, until it has come", () =>
    Effect.gen(function* () {
      const doing = yield* Effect.forkChild(retryUntilReady(coming(3)))
      yield* TestClock.adjust(3 * Limits.lookMillis - 1)
      assert.isUndefined(doing.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(doing), 4)
    })
  )

  it.effect("and never comes is missing after two seconds", () =>
    Effect.gen(function* () {
      const doing = yield* Effect.forkChild(Effect.flip(retryUntilReady(coming(1_000))))
      yield* TestClock.adjust(1_999)
      assert.isUndefined(doing.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(doing), missing)
    })
  )

  it.effect("is told from any other refusal, which is the answer at once", () =>
    Effect.gen(function* () {
      const other = notFound("other", "other_1")
      assert.strictEqual(yield* Effect.flip(retryUntilReady(Effect.fail(other))), other)
    })
  )
})
