import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { all, isAlive, messages, until, world } from "./Trainings.ts"

/** Starts a stage, interrupts it once its trainer is up, and answers how long the trainer lived on. */
const cancel = Effect.fnUntraced(function* (behavior: string) {
  const { attempt, starts } = yield* world()
  const fiber = yield* Effect.forkChild(attempt("sft", { behavior, stepMillis: 100 }))
  yield* until(() => starts().length === 1)
  // So that it has had the time to listen to signals.
  yield* Effect.sleep(200)
  const pid = starts()[0]?.pid ?? 0
  assert.isTrue(isAlive(pid))
  const before = yield* Clock.currentTimeMillis
  const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber))
  yield* until(() => !isAlive(pid))
  const millis = (yield* Clock.currentTimeMillis) - before
  yield* Fiber.join(interruption)
  return millis
})

describe("a canceled stage", () => {
  it.live("tells its trainer, which ends at once", () =>
    Effect.gen(function* () {
      assert.isBelow(yield* cancel("hang"), 1_000)
    })
  )

  it.live(
    "is dead within 5 seconds, also with a trainer that does not listen",
    () =>
      Effect.gen(function* () {
        assert.isBelow(yield* cancel("stubborn"), 4_500)
      }),
    10_000
  )
})

describe("a budget", () => {
  for (const behavior of ["hang", "stubborn"]) {
    it.live(
      `ends a trainer before it is passed (${behavior})`,
      () =>
        Effect.gen(function* () {
          const millisPaid = 3_000
          const { attempt, run, starts } = yield* world({ budgetMicros: 300_000, microsPerGpuSecond: 100_000 })
          const { failure, said } = yield* attempt("sft", { behavior })
          const now = yield* Clock.currentTimeMillis
          assert.deepInclude({ ...failure }, { code: "budget_exceeded", retryable: false })
          assert.isFalse(isAlive(starts()[0]?.pid ?? 0))
          const seconds = all(said, "Spend").map(({ usage }) => usage.gpuSeconds)
          assert.isAtMost(Math.max(...seconds) * 1000, millisPaid)
          assert.isAbove(Math.max(...seconds), 1)
          assert.isAbove(now, run.createdAt)
        }),
      10_000
    )
  }

  it.live("that does not hold a moment starts nothing", () =>
    Effect.gen(function* () {
      const { attempt, starts } = yield* world({ budgetMicros: 0, microsPerGpuSecond: 100_000 })
      assert.strictEqual((yield* attempt("sft")).failure?.code, "budget_exceeded")
      assert.deepStrictEqual(starts(), [])
    })
  )

  it.live("is asked for before the time that it pays for, a little at a time", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      const { asked, said } = yield* attempt("sft", { stepMillis: 600 })
      assert.isAbove(asked.length, 2)
      for (const [index, { gpuSeconds }] of asked.entries()) {
        assert.isBelow(gpuSeconds - (asked[index - 1]?.gpuSeconds ?? 0), 2.5)
      }
      const spent = Math.max(...all(said, "Spend").map(({ usage }) => usage.gpuSeconds))
      assert.isBelow(spent, asked.at(-1)?.gpuSeconds ?? 0)
      assert.isAbove(spent, 1.8)
    })
  )

  it.live("ends a trainer that spends judges' tokens faster than it holds", () =>
    Effect.gen(function* () {
      const { attempt, run, starts } = yield* world({ budgetMicros: 5_000_000 })
      const { failure, said } = yield* attempt("sft", { behavior: "spend" })
      assert.strictEqual(failure?.code, "budget_exceeded")
      assert.isFalse(isAlive(starts()[0]?.pid ?? 0))
      assert.isAbove(Math.max(...all(said, "Spend").map(({ usage }) => usage.judgeTokens)), 1_000_000)
      assert.strictEqual(run.prices.microsPerMillionJudgeTokens, 1_000_000)
      assert.isNotEmpty(messages(said))
    })
  )
})
