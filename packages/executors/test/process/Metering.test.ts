import { assert, describe, it } from "@effect/vitest"
import { overBudget, type StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Metering from "../../src/process/internal/Metering.ts"
import { runOf } from "./Trainings.ts"

const unavailable = new StageFailure({ code: "storage_unavailable", message: "no answer", retryable: true })

/** A dollar a second. */
const meterOf = (dollars: number, reserve: (upTo: Usage) => Effect.Effect<void, StageFailure> = () => Effect.void) => {
  const run = runOf({ budgetMicros: dollars * 1e6, microsPerGpuSecond: 1e6 })
  const stage = run.stages[1] ?? assert.fail("no stage")
  const asked: Array<number> = []
  const context: Pick<StageContext, "run" | "stage" | "meter"> = {
    run,
    stage,
    meter: {
      start: stage.usage,
      reserve: (upTo) =>
        Effect.andThen(
          Effect.sync(() => asked.push(upTo.gpuSeconds)),
          reserve(upTo)
        )
    }
  }
  return { context, asked }
}

const from = (startedAt: number) => ({ startedAt, usage: { gpuSeconds: 0, judgeTokens: 0 } })
const noTokens = () => 0

/** When a trainer started at zero is asked to end, and its deadline. */
const refusal = Effect.fnUntraced(function* (metering: Metering.Metering) {
  const failure = yield* metering.payUntilRefused
  const graceMillis = yield* metering.graceMillis
  const at = yield* Clock.currentTimeMillis
  return { code: failure.code, at, goneBy: at + graceMillis }
})

const watched = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

describe("the meter of a trainer", () => {
  it.effect("is asked for every second before it begins (P51)", () =>
    Effect.gen(function* () {
      const { asked, context } = meterOf(10)
      yield* watched(refusal(Metering.make(context, from(0), noTokens)))
      // Each question covers what passes before the next.
      for (const [index, seconds] of asked.entries()) assert.isAtMost(seconds, 2 + index / 2)
      assert.strictEqual(Math.max(...asked), 10)
    })
  )

  for (const dollars of [0.1, 1, 2.5, 10]) {
    it.effect(`ends the trainer within a budget of ${dollars} seconds, and as late as that allows`, () =>
      Effect.gen(function* () {
        const { context } = meterOf(dollars)
        const { at, code, goneBy } = yield* watched(refusal(Metering.make(context, from(0), noTokens)))
        assert.strictEqual(code, "budget_exceeded")
        assert.isBelow(goneBy, dollars * 1000)
        assert.isAtLeast(at, dollars * 1000 - 1000)
        assert.isAtLeast(at, dollars * 700)
      })
    )
  }

  it.effect("of one that was found again counts the time when nobody looked, but never above the budget", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("30 seconds")
      const { asked, context } = meterOf(10)
      const metering = Metering.make(context, from(0), noTokens)
      assert.deepStrictEqual(yield* watched(refusal(metering)), {
        code: "budget_exceeded",
        at: 30_000,
        goneBy: 30_000
      })
      assert.deepStrictEqual(asked, [10])
      assert.deepStrictEqual(yield* metering.usage, { gpuSeconds: 10, judgeTokens: 0 })
    })
  )

  it.effect("goes on through an outage of the storage as long as time is paid for, and no longer", () =>
    Effect.gen(function* () {
      let isUp = true
      const { context } = meterOf(100, () => (isUp ? Effect.void : unavailable))
      const metering = Metering.make(context, from(0), noTokens)
      const fiber = yield* Effect.forkChild(refusal(metering))
      yield* TestClock.adjust("10 seconds")
      isUp = false
      yield* TestClock.adjust("600 millis")
      isUp = true
      yield* TestClock.adjust("10 seconds")
      isUp = false
      yield* TestClock.adjust("10 seconds")
      const { at, code, goneBy } = yield* Fiber.join(fiber)
      assert.strictEqual(code, "storage_unavailable")
      assert.isAbove(at, 20_600)
      assert.isAtMost(goneBy, 22_700)
    })
  )

  it.effect("stops at the end of the trainer, and at a refusal of the storage", () =>
    Effect.gen(function* () {
      const { context } = meterOf(100)
      const metering = Metering.make(context, from(0), noTokens)
      yield* metering.pay
      yield* TestClock.adjust("1 second")
      yield* metering.end
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* metering.usage).gpuSeconds, 1)
      const refused = meterOf(100, () => overBudget)
      const other = Metering.make(refused.context, from(0), noTokens)
      assert.strictEqual((yield* watched(refusal(other))).code, "budget_exceeded")
      assert.strictEqual((yield* other.usage).gpuSeconds, 0)
    })
  )
})
