import { assert, describe, it } from "@effect/vitest"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import {
  at,
  cancel,
  checkpoint,
  created,
  done,
  driven,
  failing,
  forever,
  live,
  log,
  messages,
  pass,
  plain,
  read,
  reports,
  runOnce,
  Script,
  say,
  stageOf,
  typesTold,
  world
} from "./World.ts"

const ends = ["run.succeeded", "run.failed", "run.canceled"]

/** Says something, and then nothing for a very long time. */
const stuck = Stream.concat(Stream.make(log("begun"), checkpoint({ step: 5 })), Stream.never)

describe("RunScheduler: cancel", () => {
  it.effect("a cancel stops the executor within a second, and is the run's only end (P33)", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      const { id } = yield* created()
      const script = yield* Script
      const worker = yield* Effect.forkChild(forever)
      yield* pass("10 seconds")
      const stopped = script.stopped
      const canceled = yield* cancel(id)
      assert.deepInclude(canceled, { status: "canceled", error: null })
      assert.deepStrictEqual(
        canceled.stages.map(({ status }) => status),
        ["succeeded", "canceled", "skipped", "pending", "pending"]
      )
      yield* pass("1 second")
      assert.strictEqual(script.stopped, stopped + 1)
      yield* pass("10 minutes")
      assert.deepStrictEqual(yield* read(id), canceled)
      assert.deepStrictEqual(
        (yield* typesTold()).filter((type) => ends.includes(type)),
        ["run.canceled"]
      )
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("a result that comes after the cancel is dropped (P33)", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      // It cannot be stopped half way, and so brings its result after all.
      yield* say(
        at("sft", () =>
          Stream.concat(
            Stream.fromEffectDrain(Effect.uninterruptible(Deferred.await(gate))),
            Stream.make(log("late"), done({ made: "late" }))
          )
        )
      )
      const { id } = yield* created()
      const worker = yield* Effect.forkChild(runOnce)
      yield* pass(300)
      const canceled = yield* cancel(id)
      yield* Deferred.succeed(gate, undefined)
      yield* pass("1 second")
      yield* Fiber.join(worker)
      assert.deepStrictEqual(yield* read(id), canceled)
      assert.notInclude(yield* messages(id), "late")
      assert.isEmpty(yield* reports)
    }).pipe(Effect.provide(world))
  )

  it.effect("a cancel of one run leaves the others alone", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      const [one, other] = [yield* created(), yield* created()]
      const worker = yield* Effect.forkChild(forever)
      yield* pass("1 second")
      yield* cancel(one.id)
      yield* pass("1 minute")
      assert.deepInclude(yield* read(other.id), { status: "running" })
      assert.deepInclude(stageOf(yield* read(other.id), "sft"), { attempt: 1 })
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("a run that waits for its next attempt can be canceled, and has none", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => failing(true)))
      const { id } = yield* driven()
      const canceled = yield* cancel(id)
      assert.strictEqual(stageOf(canceled, "sft")?.status, "canceled")
      yield* pass("1 hour")
      assert.strictEqual(yield* runOnce, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("a run that is canceled and retried at once is driven once, by the worker that has it then", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      const { id } = yield* created()
      const worker = yield* Effect.forkChild(forever)
      yield* pass("1 second")
      const runs = yield* Runs
      yield* say(plain)
      yield* runs.cancel(live, id)
      yield* runs.retry(live, id, { fromStage: null, maxCostUsd: null })
      yield* pass("3 seconds")
      const run = yield* read(id)
      assert.strictEqual(run.status, "succeeded")
      assert.deepInclude(stageOf(run, "sft"), { attempt: 2 })
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )
})
