import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import {
  anotherScheduler,
  at,
  checkpoint,
  created,
  failing,
  forever,
  log,
  logged,
  pass,
  plain,
  read,
  remembered,
  runOnce,
  say,
  stageOf,
  stranger,
  world
} from "./World.ts"

/** Concurrent runs of one workspace. */
const share = sizeAlone(Pools.runs.size)

/** Says something, and then nothing for a very long time. */
const stuck = Stream.concat(Stream.make(log("begun"), checkpoint({ step: 5 })), Stream.never)

describe("RunScheduler: the loop", () => {
  it.effect("a stopped scheduler hands its runs back at once, side by side, and complains of nothing", () =>
    Effect.gen(function* () {
      const { layer, lines } = yield* logged
      // Cleaning up takes each a while.
      yield* say(at("sft", () => Stream.ensuring(stuck, Effect.sleep("3 seconds"))))
      const runs = [yield* created(), yield* created(), yield* created()]
      const worker = yield* Effect.forkChild(Effect.provide(forever, layer))
      yield* pass("1 second")
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* pass("3 seconds")
      yield* Fiber.join(stopping)
      assert.isEmpty(lines)
      yield* say(plain)
      const other = yield* anotherScheduler
      assert.strictEqual(yield* other.runOnce, 3)
      for (const { id } of runs) {
        const run = yield* read(id)
        assert.strictEqual(run.status, "succeeded")
        assert.deepInclude(stageOf(run, "sft"), { attempt: 2 })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("however often its worker is stopped, a run has three attempts left (P32)", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => Stream.concat(Stream.make(checkpoint({ step: 7 })), Stream.never)))
      const { id } = yield* created()
      for (let stops = 1; stops <= 5; stops++) {
        const worker = yield* Effect.forkChild(forever)
        yield* pass(100)
        yield* Fiber.interrupt(worker)
        assert.deepInclude(stageOf(yield* read(id), "sft"), {
          status: "running",
          attempt: stops,
          attemptsOfStart: 0,
          checkpoint: remembered({ step: 7 })
        })
      }
      yield* say(at("sft", () => failing(true)))
      for (const wait of ["5 seconds", "30 seconds", "0 seconds"] as const) {
        assert.strictEqual((yield* read(id)).status, "running")
        assert.strictEqual(yield* runOnce, 1)
        yield* pass(wait)
      }
      assert.deepInclude(stageOf(yield* read(id), "sft"), { status: "failed", attempt: 8 })
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "partitions take turns: one that has many runs waiting does not hold up the single run of another (P32)",
    () =>
      Effect.gen(function* () {
        yield* Effect.forEach(Array.from({ length: Pools.runs.size * 4 }), () => created())
        const { id } = yield* created({}, stranger)
        yield* runOnce
        assert.strictEqual((yield* read(id, stranger)).status, "succeeded")
      }).pipe(Effect.provide(world))
  )

  it.effect("a run of another workspace ends at once beside any number of one that never end (P820)", () =>
    Effect.gen(function* () {
      yield* say(at("sft", (context) => (context.partition.key === stranger.key ? plain(context) : stuck)))
      const worker = yield* Effect.forkChild(forever)
      yield* Effect.forEach(Array.from({ length: Pools.runs.size * 4 }), () => created())
      yield* pass(1)
      const { id } = yield* created({}, stranger)
      yield* pass(1)
      assert.strictEqual((yield* read(id, stranger)).status, "succeeded")
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("a new run is begun as soon as it is created, without waiting for a poll", () =>
    Effect.gen(function* () {
      const worker = yield* Effect.forkChild(forever)
      yield* pass("1 hour")
      const { id } = yield* created()
      yield* pass(1)
      assert.strictEqual((yield* read(id)).status, "succeeded")
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("no more runs of a workspace than its share are worked on at once, and the others follow as they end", () =>
    Effect.gen(function* () {
      let working = 0
      let most = 0
      yield* say(
        at("sft", (context) =>
          Stream.concat(
            Stream.fromEffectDrain(
              Effect.acquireUseRelease(
                Effect.sync(() => {
                  most = Math.max(most, ++working)
                }),
                () => Effect.sleep("1 minute"),
                () => Effect.sync(() => working--)
              )
            ),
            plain(context)
          )
        )
      )
      const runs = yield* Effect.forEach(Array.from({ length: share * 2 + 1 }), () => created())
      const worker = yield* Effect.forkChild(forever)
      yield* pass("61 seconds")
      assert.strictEqual(most, share)
      yield* pass("3 minutes")
      for (const { id } of runs) assert.strictEqual((yield* read(id)).status, "succeeded")
      assert.strictEqual(most, share)
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("a scheduler whose only workspace has its share rests, though more is due", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      yield* Effect.forEach(Array.from({ length: share + 1 }), () => created())
      const queue = yield* Queue
      let looks = 0
      const counting = Queue.of({
        ...queue,
        nextDueAt: (topic, except) =>
          Effect.andThen(
            Effect.sync(() => looks++),
            queue.nextDueAt(topic, except)
          ),
        claim: (options) =>
          Effect.andThen(
            Effect.sync(() => looks++),
            queue.claim(options)
          )
      })
      const scheduler = yield* Effect.provideService(anotherScheduler, Queue, counting)
      const worker = yield* Effect.forkChild(scheduler.forever)
      yield* pass("10 seconds")
      assert.isBelow(looks, 20)
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("a scheduler that cannot reach its queue for a while keeps its runs", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      const { id } = yield* created()
      const queue = yield* Queue
      let down = false
      const flaky = Queue.of({
        ...queue,
        extend: (work, leaseUntil) =>
          Effect.suspend(() =>
            down
              ? Effect.fail(new StorageError({ operation: "extend", cause: "down" }))
              : queue.extend(work, leaseUntil)
          )
      })
      const scheduler = yield* Effect.provideService(anotherScheduler, Queue, flaky)
      const worker = yield* Effect.forkChild(scheduler.forever)
      yield* pass("4 seconds")
      down = true
      yield* pass("6 seconds")
      down = false
      yield* pass("1 minute")
      assert.deepInclude(stageOf(yield* read(id), "sft"), { status: "running", attempt: 1 })
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )
})
