import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { Progress } from "@limbeck/distill/run/Executor"
import { HandClock } from "@limbeck/testing/fixtures/HandClock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { all, type Behavior, command, hasSaid, isAlive, lastCheckpoint, messages, until, world } from "./Trainings.ts"

/** Moves the clock in small steps, and lets everybody who wakes up do what is to be done. */
const pass = (clock: HandClock, millis: number) =>
  Effect.promise(async () => {
    for (let passed = 0; passed < millis; passed += 10) {
      clock.pass(10)
      for (let turns = 0; turns < 3; turns++) await turn()
    }
  })

/** Ticks the clock in steps until the condition holds. */
const tickUntil = (clock: HandClock, condition: () => boolean, tickMillis?: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => clock.tick(tickMillis)),
    () => until(condition),
    (stop) => Effect.sync(stop)
  )

/** Starts a stage by a clock of the test's, and interrupts it once its trainer is up; from then on the clock stands still. */
const canceled = Effect.fnUntraced(function* (behavior: Behavior) {
  const clock = new HandClock()
  const { attempt, folder, starts } = yield* world()
  const said: Array<Progress> = []
  const stage = attempt("sft", { ...behavior, onProgress: (one) => said.push(one) })
  const fiber = yield* Effect.forkChild(clock.timing(stage))
  yield* tickUntil(clock, () => messages(said).includes("hangs"))
  const pid = starts()[0]?.pid ?? assert.fail("no trainer")
  assert.isTrue(isAlive(pid))
  const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber))
  const isOver = () => interruption.pollUnsafe() !== undefined
  return { clock, folder, pid, isOver }
})

/** As an operator might write it: shells between us and the trainer, which know nothing of signals. */
const wrapped = `sh -c '${command.replaceAll("'", "")}; true'; true`

describe("a canceled stage", () => {
  it.live("tells its trainer, which ends at once", () =>
    Effect.gen(function* () {
      const { clock, isOver, pid } = yield* canceled({ behavior: "hang" })
      // No time passes.
      yield* until(() => !isAlive(pid))
      yield* tickUntil(clock, isOver)
    })
  )

  for (const behavior of [{ behavior: "stubborn" }, { behavior: "stubborn", command: wrapped }]) {
    it.live(
      `leaves a trainer that does not listen 3 seconds, and is dead within 5 (${behavior.command === undefined ? "by itself" : "behind shells"})`,
      () =>
        Effect.gen(function* () {
          const { clock, folder, isOver, pid } = yield* canceled(behavior)
          yield* until(() => hasSaid(folder, "this trainer does not listen"))
          yield* pass(clock, 2_900)
          assert.isTrue(isAlive(pid))
          // A second is left for the cancel to reach us.
          yield* pass(clock, 1_100)
          yield* until(() => !isAlive(pid))
          yield* tickUntil(clock, isOver)
        })
    )
  }
})

/** Enough time for a trainer's start on any machine: a tick of the clock is a turn of ours. */
const secondsPaid = 30

describe("a budget", () => {
  for (const behavior of ["hang", "stubborn"]) {
    it.live(`is asked for a little at a time, and ends a trainer before it is passed (${behavior})`, () =>
      Effect.gen(function* () {
        const clock = new HandClock()
        const { attempt, starts } = yield* world({ budgetMicros: 3_000_000, microsPerGpuSecond: 100_000 })
        const heard: Array<Progress> = []
        const stage = attempt("sft", { behavior, onProgress: (one) => heard.push(one) })
        const fiber = yield* Effect.forkChild(clock.timing(stage))
        yield* tickUntil(clock, () => messages(heard).includes("hangs"))
        yield* tickUntil(clock, () => fiber.pollUnsafe() !== undefined, 100)
        const { asked, failure, said } = yield* Fiber.join(fiber)
        assert.deepInclude({ ...failure }, { code: "budget_exceeded", retryable: false })
        assert.deepStrictEqual(
          starts().map(({ pid }) => isAlive(pid)),
          [false]
        )
        const paid = asked.map(({ gpuSeconds }) => gpuSeconds)
        for (const [index, seconds] of paid.entries()) assert.isAtMost(seconds - (paid[index - 1] ?? 0), 2)
        assert.strictEqual(paid.at(-1), secondsPaid)
        const spent = Math.max(...all(said, "Spend").map(({ usage }) => usage.gpuSeconds))
        assert.isAtMost(spent, secondsPaid)
        assert.isAbove(spent, secondsPaid - 1.5, "what the trainer is left to end is kept of it")
      })
    )
  }

  it.live("leaves a trainer the time for a last checkpoint (P51)", () =>
    Effect.gen(function* () {
      const clock = new HandClock()
      const begunAt = clock.currentTimeMillisUnsafe()
      const { attempt } = yield* world({ budgetMicros: 3_000_000, microsPerGpuSecond: 100_000 })
      const heard: Array<Progress> = []
      const stage = attempt("sft", { behavior: "last-words", command: wrapped, onProgress: (one) => heard.push(one) })
      const fiber = yield* Effect.forkChild(clock.timing(stage))
      yield* tickUntil(clock, () => messages(heard).includes("hangs"))
      const toldAt = begunAt + (secondsPaid - 1) * 1_000
      yield* tickUntil(clock, () => clock.currentTimeMillisUnsafe() > toldAt - 100, 50)
      // From here on slowly: the trainer takes its time, and the machine may too.
      yield* tickUntil(clock, () => fiber.pollUnsafe() !== undefined, 2)
      const { failure, said } = yield* Fiber.join(fiber)
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
