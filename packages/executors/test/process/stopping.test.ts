import { assert, describe, it } from "@effect/vitest"
import type { Progress } from "@limbeck/distill/run/Executor"
import * as HeldUp from "@limbeck/testing/fixtures/HeldUp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { all, type Behavior, command, isAlive, lastCheckpoint, messages, until, world } from "./Trainings.ts"

/** Starts a stage, interrupts it once its trainer is up; answers how long the trainer lived on, and how much of that was the machine's. */
const cancel = Effect.fnUntraced(function* (behavior: Behavior) {
  const { attempt, starts } = yield* world()
  const said: Array<Progress> = []
  const fiber = yield* Effect.forkChild(attempt("sft", { ...behavior, hear: (one) => said.push(one) }))
  yield* until(() => messages(said).includes("hangs"))
  const pid = starts()[0]?.pid ?? 0
  assert.isTrue(isAlive(pid))
  const before = yield* Clock.currentTimeMillis
  const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber))
  const [millis, heldUpMillis] = yield* HeldUp.during(
    Effect.andThen(
      until(() => !isAlive(pid)),
      Effect.map(Clock.currentTimeMillis, (now) => now - before)
    )
  )
  yield* Fiber.join(interruption)
  return { millis, heldUpMillis }
})

/** As an operator might write it: shells between us and the trainer, which know nothing of signals. */
const wrapped = `sh -c '${command.replaceAll("'", "")}; true'; true`

describe("a canceled stage", () => {
  it.live("tells its trainer, which ends at once", () =>
    Effect.gen(function* () {
      const { heldUpMillis, millis } = yield* cancel({ behavior: "hang" })
      assert.isBelow(millis, 1_000 + 2 * heldUpMillis)
    })
  )

  for (const behavior of [{ behavior: "stubborn" }, { behavior: "stubborn", command: wrapped }]) {
    it.live(
      `leaves a trainer that does not listen 3 seconds, and is dead within 5 (${behavior.command === undefined ? "by itself" : "behind shells"})`,
      () =>
        Effect.gen(function* () {
          const { heldUpMillis, millis } = yield* cancel(behavior)
          assert.isAbove(millis, 2_900)
          assert.isBelow(millis, 4_500 + 2 * heldUpMillis)
        })
    )
  }
})

describe("a budget", () => {
  for (const behavior of ["hang", "stubborn"]) {
    it.live(`ends a trainer before it is passed (${behavior})`, () =>
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
      })
    )
  }

  it.live("leaves a trainer the time for a last checkpoint", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world({ budgetMicros: 200_000, microsPerGpuSecond: 100_000 })
      const { failure, said } = yield* attempt("sft", { behavior: "last-words", command: wrapped })
      assert.strictEqual(failure?.code, "budget_exceeded")
      assert.deepInclude(lastCheckpoint(said)?.state, { trainer: { epoch: 99 } })
    })
  )

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
