/** Following a run, in virtual time. */
import { assert, describe, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as RunFeed from "@limbeck/distill/run/RunFeed"
import { type RunRecord, RunRecords } from "@limbeck/distill/run/RunRecords"
import { RunScheduler } from "@limbeck/distill/run/RunScheduler"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import {
  anotherScheduler,
  at,
  created,
  done,
  failing,
  forever,
  live,
  log,
  metric,
  pass,
  read,
  say,
  silentWorker,
  world
} from "./World.ts"

type Portion = ReadonlyArray<RunRecord>

/** Follows a run from a place, collecting portions. */
const following = Effect.fnUntraced(function* (id: string, after = 0) {
  const follow = yield* RunFeed.make
  const portions: Array<Portion> = []
  const told = Stream.runForEach(follow(live, yield* read(id), after), (portion) =>
    Effect.sync(() => void portions.push(portion))
  )
  return { portions, fiber: yield* Effect.forkChild(told) }
})

const statusesIn = (records: Portion) =>
  records.flatMap((record) => {
    if (record.kind !== "state") return []
    const { stages, status } = JSON.parse(record.state)
    const attempts = stages.map((stage: { readonly attempt: number }) => stage.attempt).join("")
    return [`${status} ${attempts}`]
  })

/** Says something every minute, three times. */
const slow = at("sft", () =>
  Stream.make(log("one"), metric(1, 0.5), log("two"), done()).pipe(
    Stream.mapEffect((said) => Effect.delay(Effect.succeed(said), "1 minute"))
  )
)

/** The queue of the world, counting who has a doorbell. */
const counted = Effect.map(Queue, (queue) => {
  const bells = { open: 0 }
  const doorbell: Queue["Service"]["doorbell"] = (topic) =>
    Effect.acquireRelease(
      Effect.sync(() => void bells.open++),
      () => Effect.sync(() => void bells.open--)
    ).pipe(Effect.andThen(queue.doorbell(topic)))
  return { bells, queue: Queue.of({ ...queue, doorbell }) }
})

describe("RunFeed", () => {
  it.effect("tells what is there, then what comes, within a second of it, and ends with the run", () =>
    Effect.gen(function* () {
      yield* say(slow)
      const { id } = yield* created()
      const { fiber, portions } = yield* following(id)
      yield* pass(0)
      assert.deepStrictEqual(portions.map(statusesIn), [["queued 00000"]])
      yield* Effect.forkChild(forever)
      yield* pass("1 second")
      assert.deepStrictEqual(portions.slice(1).flatMap(statusesIn), ["validating 10000", "running 11000"])
      for (const kind of ["log", "metric", "log"]) {
        const before = portions.flat().length
        yield* pass("61 seconds")
        assert.deepStrictEqual(
          portions
            .flat()
            .slice(before)
            .map((record) => record.kind),
          [kind]
        )
      }
      yield* pass("61 seconds")
      assert.deepStrictEqual(statusesIn(portions.flat()).at(-1), "succeeded 11011")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        portions.flat().map(({ place }) => place),
        portions.flat().map((_, index) => index + 1)
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("says every 15 seconds of silence that it is still there", () =>
    Effect.gen(function* () {
      const { id } = yield* created()
      const { portions } = yield* following(id)
      yield* pass(0)
      yield* pass(4 * DistillLimits.feedHeartbeatMillis)
      assert.deepStrictEqual(
        portions.map((portion) => portion.length),
        [1, 0, 0, 0, 0]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("tells an attempt that a dead worker left, and the one that another process makes", () =>
    Effect.gen(function* () {
      const { id } = yield* created()
      const { drive } = yield* silentWorker
      yield* say(at("sft", () => Stream.never))
      const { fiber, portions } = yield* following(id)
      const hanging = yield* Effect.forkChild(drive)
      yield* pass("1 second")
      yield* Fiber.interrupt(hanging)
      yield* say(at("sft", () => Stream.make(log("again"), done())))
      yield* Effect.forkChild((yield* anotherScheduler).forever)
      yield* pass("1 minute")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(statusesIn(portions.flat()), [
        "queued 00000",
        "validating 10000",
        "running 11000",
        "running 12000",
        "evaluating 12010",
        "running 12011",
        "succeeded 12011"
      ])
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.effect("tells each attempt of a stage that fails, and its last state is the run's end", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => failing(true)))
      const { id } = yield* created()
      const { fiber, portions } = yield* following(id)
      yield* Effect.forkChild(forever)
      yield* pass("2 minutes")
      yield* Fiber.join(fiber)
      const told = statusesIn(portions.flat())
      assert.deepStrictEqual(
        [...new Set(told)],
        ["queued 00000", "validating 10000", "running 11000", "running 12000", "running 13000", "failed 13000"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a run that has ended is told from the place asked for, and no waiting follows", () =>
    Effect.gen(function* () {
      const { id } = yield* created()
      yield* (yield* RunScheduler).runOnce
      const follow = yield* RunFeed.make
      const run = yield* read(id)
      const all = (yield* Stream.runCollect(follow(live, run, 0))).flat()
      for (let after = 0; after <= all.length; after++) {
        assert.deepStrictEqual((yield* Stream.runCollect(follow(live, run, after))).flat(), all.slice(after))
      }
      assert.deepStrictEqual(yield* Stream.runCollect(follow(live, run, 10 ** 9)), [])
    }).pipe(Effect.provide(world))
  )

  it.effect("a place that never comes is no wait for ever: the stream ends some time after the run", () =>
    Effect.gen(function* () {
      const { id } = yield* created()
      const { fiber } = yield* following(id, 10 ** 9)
      yield* pass("1 second")
      yield* (yield* Runs).cancel(live, id)
      yield* pass(DistillLimits.feedHeartbeatMillis)
      yield* pass(DistillLimits.feedHeartbeatMillis)
      yield* Fiber.join(fiber)
    }).pipe(Effect.provide(world))
  )

  it.effect("nothing is read ahead of the reader", () =>
    Effect.gen(function* () {
      yield* say(
        at("sft", () =>
          Stream.concat(
            Stream.map(Stream.range(1, 1_200), (step) => metric(step, 1)),
            Stream.make(done())
          )
        )
      )
      const { id } = yield* created()
      yield* (yield* RunScheduler).runOnce
      const records = yield* RunRecords
      let looks = 0
      const counting = RunRecords.of({
        ...records,
        all: (...asked) =>
          Effect.andThen(
            Effect.sync(() => void looks++),
            records.all(...asked)
          )
      })
      const follow = yield* Effect.provideService(RunFeed.make, RunRecords, counting)
      const run = yield* read(id)
      for (const portions of [1, 2, 3]) {
        looks = 0
        const told = (yield* Stream.runCollect(Stream.take(follow(live, run, 0), portions))).flat()
        assert.deepStrictEqual(
          [told.length, looks],
          [Math.min(portions * DistillLimits.feedPage, told.length), portions]
        )
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("however much is written, it looks twice a second; and who leaves, leaves nothing behind", () =>
    Effect.gen(function* () {
      const { bells, queue } = yield* counted
      const { id } = yield* created()
      yield* say(
        at("sft", () =>
          Stream.range(1, 400).pipe(
            Stream.mapEffect((step) => Effect.delay(Effect.succeed(metric(step, 1)), "50 millis")),
            Stream.concat(Stream.make(done()))
          )
        )
      )
      const { fiber, portions } = yield* Effect.provideService(following(id), Queue, queue)
      yield* Effect.forkChild(forever)
      for (let second = 0; second < 10; second++) yield* pass("1 second")
      assert.strictEqual(bells.open, 1)
      assert.isAtLeast(portions.flat().length, 150)
      assert.isAtMost(portions.length, 22)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(bells.open, 0)
    }).pipe(Effect.provide(world))
  )
})
