import { assert, describe, it } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as ComputeProfile from "@limbeck/distill/recipe/ComputeProfile"
import { type Executor, Progress, type StageContext } from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import {
  at,
  created,
  done,
  driven,
  failing,
  forever,
  live,
  pass,
  plain,
  read,
  runOnce,
  Script,
  say,
  silentWorker,
  stageOf,
  typesTold,
  world
} from "./World.ts"

const price = ComputeProfile.local.microsPerGpuSecond
/** What as many seconds cost. */
const cost = (gpuSeconds: number) => gpuSeconds * price
const seconds = (gpuSeconds: number): Usage => ({ gpuSeconds, judgeTokens: 0 })
const spend = (gpuSeconds: number) => Progress.Spend({ usage: seconds(gpuSeconds) })

/** Works a second at a time, from its checkpoint to `total`, and asks before each. */
const working =
  (total: number): Executor["execute"] =>
  ({ meter }: StageContext) => {
    const from = meter.start.gpuSeconds
    const steps = Array.from({ length: total - from }, (_, index) => from + index + 1)
    return Stream.concat(
      Stream.fromIterable(steps).pipe(
        Stream.mapEffect((second) =>
          Effect.as(meter.reserve(seconds(second)), Progress.Checkpoint({ state: second, usage: seconds(second) }))
        )
      ),
      Stream.succeed<Progress>(done())
    )
  }

const options = (maxCostUsd: number) => ({ dryRun: false, maxCostUsd })

describe("RunScheduler, budget", () => {
  it.effect("what a stage spends is in the totals, stage by stage", () =>
    Effect.gen(function* () {
      yield* say((context) =>
        context.stage.kind === "sft"
          ? working(40)(context)
          : context.stage.kind === "eval"
            ? Stream.make<Array<Progress>>(
                spend(2),
                Progress.Spend({ usage: { gpuSeconds: 3, judgeTokens: 9 } }),
                done()
              )
            : plain(context)
      )
      const run = yield* driven(options(1))
      assert.strictEqual(run.status, "succeeded")
      assert.deepStrictEqual(run.totals, { gpuSeconds: 43, judgeTokens: 9, costMicros: cost(43) + 9 })
      assert.strictEqual(run.reservedMicros, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("the stage is stopped before the budget is passed, and the run has failed with budget_exceeded (P48)", () =>
    Effect.gen(function* () {
      yield* say(at("sft", working(60)))
      const run = yield* driven(options(cost(50) / 1e6))
      assert.deepInclude(run, { status: "failed", reservedMicros: 0 })
      assert.deepInclude(run.error, { code: "budget_exceeded", stage: 2 })
      assert.deepInclude(stageOf(run, "sft"), { status: "failed", attempt: 1 })
      assert.deepStrictEqual(run.totals, { gpuSeconds: 50, judgeTokens: 0, costMicros: cost(50) })
      assert.strictEqual((yield* typesTold()).at(-1), "run.failed")
    }).pipe(Effect.provide(world))
  )

  it.effect("who spends without asking is stopped too, and no more than the budget is recorded", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => Stream.make<Array<Progress>>(spend(40), spend(51), done())))
      const run = yield* driven(options(cost(50) / 1e6))
      assert.deepInclude(run.error, { code: "budget_exceeded" })
      assert.strictEqual(run.totals.costMicros, cost(50))
    }).pipe(Effect.provide(world))
  )

  it.effect("a stage that fails and goes on from its checkpoint counts its spend once", () =>
    Effect.gen(function* () {
      yield* say(
        at("sft", (context) => {
          const first = Stream.take(working(10)(context), 6)
          return context.stage.attempt === 1 ? Stream.concat(first, failing(true)) : working(10)(context)
        })
      )
      const { id } = yield* created(options(1))
      yield* runOnce
      assert.deepInclude((yield* read(id)).totals, { gpuSeconds: 6 })
      yield* pass("5 seconds")
      yield* runOnce
      const run = yield* read(id)
      assert.strictEqual(run.status, "succeeded")
      assert.deepInclude(run.totals, { gpuSeconds: 10, costMicros: cost(10) })
      const starts = (yield* Script).heard.filter(({ stage }) => stage.kind === "sft").map(({ meter }) => meter.start)
      assert.deepStrictEqual(starts, [seconds(0), seconds(6)])
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "a worker that dies leaves its spend and its reservation, and the next one neither loses nor repeats any (P48)",
    () =>
      Effect.gen(function* () {
        yield* say(
          at("sft", (context) =>
            context.stage.attempt === 1
              ? Stream.concat(Stream.take(working(10)(context), 6), Stream.never)
              : working(10)(context)
          )
        )
        const { id } = yield* created(options(1))
        const lost = yield* silentWorker
        const fiber = yield* Effect.forkChild(Effect.result(lost.drive))
        yield* pass("1 second")
        const before = yield* read(id)
        assert.deepInclude(before.totals, { gpuSeconds: 6 })
        assert.isAbove(before.reservedMicros, 0)
        yield* pass(DistillLimits.leaseMillis)
        yield* runOnce
        const run = yield* read(id)
        assert.strictEqual(run.status, "succeeded")
        assert.deepInclude(run.totals, { gpuSeconds: 10, costMicros: cost(10) })
        assert.strictEqual(run.reservedMicros, 0)
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.effect("canceled, a run keeps what it spent and nothing that it reserved; a retry goes on adding", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      yield* say(at("sft", (context) => Stream.concat(Stream.take(working(10)(context), 4), Stream.never)))
      const { id } = yield* created(options(1))
      const fiber = yield* Effect.forkChild(forever)
      yield* pass("1 second")
      const canceled = yield* runs.cancel(live, id)
      assert.deepInclude(canceled.totals, { gpuSeconds: 4 })
      assert.strictEqual(canceled.reservedMicros, 0)
      yield* say(at("sft", working(10)))
      yield* runs.retry(live, id, { fromStage: null, maxCostUsd: null })
      yield* pass("1 second")
      const run = yield* read(id)
      assert.strictEqual(run.status, "succeeded")
      assert.deepInclude(run.totals, { gpuSeconds: 10 })
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(world))
  )

  it.effect("a retry that begins a stage anew adds what it costs anew", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      yield* say((context) => {
        if (context.stage.kind === "sft") return working(10)(context)
        return context.stage.kind === "eval" && context.stage.attempt === 1 ? failing(false) : plain(context)
      })
      const { id } = yield* driven(options(1))
      yield* runs.retry(live, id, { fromStage: 2, maxCostUsd: null })
      yield* runOnce
      const run = yield* read(id)
      assert.strictEqual(run.status, "succeeded")
      assert.deepInclude(run.totals, { gpuSeconds: 20, costMicros: cost(20) })
    }).pipe(Effect.provide(world))
  )
})
