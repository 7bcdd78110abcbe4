import { assert, describe, it } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { Progress, StageFailure } from "@limbeck/distill/run/Executor"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import {
  anotherScheduler,
  at,
  checkpoint,
  created,
  done,
  failing,
  forever,
  linesOf,
  log,
  metric,
  pass,
  plain,
  read,
  remembered,
  reports,
  runOnce,
  Script,
  say,
  silentWorker,
  stageOf,
  told,
  typesTold,
  world
} from "./World.ts"

const ends = ["run.succeeded", "run.failed", "run.canceled"]

/** Says something, and then nothing for a very long time. */
const stuck = Stream.concat(Stream.make(log("begun"), checkpoint({ step: 5 })), Stream.never)

describe("RunScheduler: lost workers", () => {
  it.effect("a run whose worker went silent is taken up when the lease ends, with the next attempt (P32)", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      const { id } = yield* created()
      const lost = yield* silentWorker
      const fiber = yield* Effect.forkChild(Effect.result(lost.drive))
      yield* pass(DistillLimits.leaseMillis - 1)
      yield* say(plain)
      assert.strictEqual(yield* runOnce, 0, "the lease is still held")
      yield* pass(1)
      assert.strictEqual(yield* runOnce, 1)
      const run = yield* read(id)
      assert.strictEqual(run.status, "succeeded")
      assert.deepInclude(stageOf(run, "sft"), { attempt: 2 })
      assert.deepInclude(stageOf(run, "materialize"), { attempt: 1 })
      const { heard } = yield* Script
      assert.deepStrictEqual(
        heard.filter(({ stage }) => stage.kind === "sft").map(({ stage }) => stage.checkpoint),
        [null, remembered({ step: 5 })]
      )
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(world))
  )

  it.effect("a worker that died before it began leaves a run that nobody started", () =>
    Effect.gen(function* () {
      const { id } = yield* created()
      yield* silentWorker
      yield* pass(DistillLimits.leaseMillis)
      yield* runOnce
      assert.deepInclude(stageOf(yield* read(id), "materialize"), { status: "succeeded", attempt: 1 })
    }).pipe(Effect.provide(world))
  )

  const lates: ReadonlyArray<readonly [what: string, late: Stream.Stream<Progress, StageFailure>]> = [
    ["progress", Stream.concat(Stream.make(log("late"), metric(9, 9)), Stream.never)],
    ["a result", Stream.make(log("late"), done({ made: "late" }))],
    ["a failure", Stream.concat(Stream.make(log("late")), failing(false))]
  ]

  for (const [what, late] of lates) {
    it.effect(`${what} of a worker that lost its lease is refused and changes nothing`, () =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        yield* say(at("sft", () => Stream.concat(Stream.fromEffectDrain(Deferred.await(gate)), late)))
        const { id } = yield* created()
        const lost = yield* silentWorker
        const fiber = yield* Effect.forkChild(Effect.flip(lost.drive))
        yield* pass(DistillLimits.leaseMillis)
        yield* say(at("sft", () => stuck))
        const heir = yield* Effect.forkChild(runOnce)
        yield* pass(300)
        const [run, events, lines] = [yield* read(id), yield* told(), yield* linesOf(id)]
        assert.deepInclude(stageOf(run, "sft"), { status: "running", attempt: 2 })
        yield* Deferred.succeed(gate, undefined)
        yield* pass(300)
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "LeaseLost")
        assert.deepStrictEqual([yield* read(id), yield* told(), yield* linesOf(id)], [run, events, lines])
        yield* Fiber.interrupt(heir)
      }).pipe(Effect.provide(world))
    )
  }

  it.effect("a worker that lives keeps its run as long as the stage takes", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => Stream.concat(Stream.fromEffectDrain(Effect.sleep("2 hours")), Stream.make(done()))))
      const { id } = yield* created()
      const worker = yield* Effect.forkChild(runOnce)
      const other = yield* anotherScheduler
      for (let minutes = 0; minutes < 119; minutes += 17) {
        yield* pass("17 minutes")
        assert.strictEqual(yield* other.runOnce, 0)
      }
      yield* pass("2 minutes")
      yield* Fiber.join(worker)
      assert.deepInclude(stageOf(yield* read(id), "sft"), { status: "succeeded", attempt: 1 })
    }).pipe(Effect.provide(world))
  )

  it.effect("two schedulers never drive one run at the same time (P32)", () =>
    Effect.gen(function* () {
      let working = 0
      let most = 0
      yield* say((context) =>
        Stream.concat(
          Stream.fromEffectDrain(
            Effect.acquireUseRelease(
              Effect.sync(() => {
                most = Math.max(most, ++working)
              }),
              () => Effect.sleep("1 second"),
              () => Effect.sync(() => working--)
            )
          ),
          plain(context)
        )
      )
      const { id } = yield* created()
      const other = yield* anotherScheduler
      const workers = yield* Effect.forkChild(Effect.all([forever, other.forever], { concurrency: "unbounded" }))
      yield* pass("1 minute")
      assert.strictEqual((yield* read(id)).status, "succeeded")
      assert.strictEqual(most, 1)
      assert.lengthOf(
        (yield* typesTold()).filter((type) => ends.includes(type)),
        1
      )
      assert.lengthOf(yield* reports, 1)
      yield* Fiber.interrupt(workers)
    }).pipe(Effect.provide(world))
  )
})
