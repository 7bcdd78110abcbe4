import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as RetentionRule from "@limbeck/core/retention/RetentionRule"
import * as RetentionWorker from "@limbeck/core/retention/RetentionWorker"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const broken = Effect.fail(new StorageError({ operation: "prune", cause: "away" }))

/** A rule with these outcomes, then `done`, and the times at which it was applied, in milliseconds. */
const ruleOf = (
  outcomes: ReadonlyArray<Effect.Effect<RetentionRule.RetentionOutcome, StorageError>>,
  fields: Partial<RetentionRule.RetentionRule> = {}
) => {
  const times: Array<number> = []
  const rule: RetentionRule.RetentionRule = {
    name: "things",
    setting: null,
    delayMillis: 50,
    everyMillis: 1_000,
    retryMillis: 100,
    removeBatch: (now) =>
      Effect.suspend(() => {
        times.push(now)
        return outcomes[times.length - 1] ?? Effect.succeed("done")
      }),
    ...fields
  }
  return { rule, times }
}

/** Applies rules for so long. */
const applied = Effect.fnUntraced(function* (rules: ReadonlyArray<RetentionRule.RetentionRule>, millis: number) {
  const worker = yield* Effect.forkChild(RetentionWorker.forever(rules))
  yield* TestClock.adjust(millis)
  yield* Fiber.interrupt(worker)
})

describe("RetentionWorker", () => {
  it.effect(
    "a rule begins after its delay, removes batches until nothing is left, and comes again after its pause",
    () =>
      Effect.gen(function* () {
        const { rule, times } = ruleOf([Effect.succeed("more"), Effect.succeed("more")])
        yield* applied([rule], 2_049)
        assert.deepStrictEqual(times, [50, 50, 50, 1_050])
      })
  )

  it.effect("a round that fails, or finds something in the way, comes again soon", () =>
    Effect.gen(function* () {
      const { rule, times } = ruleOf([Effect.succeed("later"), broken, Effect.die("a defect")])
      yield* applied([rule], 1_349)
      assert.deepStrictEqual(times, [50, 150, 250, 350])
    })
  )

  it.effect("a rule that hangs holds up no other", () =>
    Effect.gen(function* () {
      const hanging = ruleOf([Effect.never])
      const { rule, times } = ruleOf([])
      yield* applied([hanging.rule, rule], 1_050)
      assert.deepStrictEqual(hanging.times, [50])
      assert.deepStrictEqual(times, [50, 1_050])
    })
  )

  it.effect("rows are removed in batches, until a batch is not full", () =>
    Effect.gen(function* () {
      let left = 2_500
      const rule = RetentionRule.ofRows({
        name: "rows",
        setting: null,
        remove: (_, limit) =>
          Effect.sync(() => {
            const removed = Math.min(left, limit)
            left -= removed
            return removed
          })
      })
      assert.strictEqual(yield* RetentionWorker.round(rule), "done")
      assert.strictEqual(left, 0)
    })
  )
})
