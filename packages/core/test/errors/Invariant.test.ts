import { assert, describe, it } from "@effect/vitest"
import * as Invariant from "@limbeck/core/errors/Invariant"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"

describe("an invariant", () => {
  const lines: Array<unknown> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
  const counted = Effect.map(Metric.value(Invariant.brokenInvariants), ({ count }) => Number(count))

  it.effect("that is broken is a defect, logged and counted (P1044)", () =>
    Effect.gen(function* () {
      const before = yield* counted
      const exit = yield* Effect.exit(Invariant.check("Example", "2: a sum is wrong", { run: "run_1" }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(lines, [["invariant_broken", "2: a sum is wrong"]])
      assert.strictEqual(yield* counted, before + 1)
      yield* Invariant.check("Example", null, {})
      assert.strictEqual(yield* counted, before + 1)
    }).pipe(Effect.provide(logger))
  )
})
