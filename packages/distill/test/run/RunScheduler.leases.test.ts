import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import { Limits } from "@limbeck/distill/Limits"
import { type Executor, Progress, type StageFailure } from "@limbeck/distill/run/Executor"
import type * as Run from "@limbeck/distill/run/Run"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import { Runs } from "@limbeck/distill/run/Runs"
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
  driven,
  failing,
  forever,
  linesOf,
  live,
  log,
  logged,
  messages,
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
  stranger,
  told,
  typesTold,
  world
} from "./World.ts"

const ends = ["run.succeeded", "run.failed", "run.canceled"]

/** Says something, and then nothing for a very long time. */
const stuck = Stream.concat(Stream.make(log("begun"), checkpoint({ step: 5 })), Stream.never)

describe("RunScheduler: lost workers", () => {
  it.effect("a run whose worker went silent is taken up when the lease ends, with the next attempt", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      const { id } = yield* created()
      const lost = yield* silentWorker
      const fiber = yield* Effect.forkChild(Effect.result(lost.drive))
      yield* pass(Limits.leaseMillis - 1)
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
      yield* pass(Limits.leaseMillis)
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
        yield* pass(Limits.leaseMillis)
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

  it.effect("two schedulers never drive one run at the same time", () =>
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

describe("RunScheduler: cancel", () => {
  it.effect("a cancel stops the executor within a second, and is the run's only end", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      const { id } = yield* created()
      const script = yield* Script
      const worker = yield* Effect.forkChild(forever)
      yield* pass("10 seconds")
      const stopped = script.stopped
      const canceled = yield* Effect.flatMap(Runs, (runs) => runs.cancel(live, id))
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

  it.effect("a result that comes after the cancel is dropped", () =>
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
      const canceled = yield* Effect.flatMap(Runs, (runs) => runs.cancel(live, id))
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
      yield* Effect.flatMap(Runs, (runs) => runs.cancel(live, one.id))
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
      const canceled = yield* Effect.flatMap(Runs, (runs) => runs.cancel(live, id))
      assert.strictEqual(stageOf(canceled, "sft")?.status, "canceled")
      yield* pass("1 hour")
      assert.strictEqual(yield* runOnce, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("a run that is canceled and retried at once is driven once, by whoever has it then", () =>
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

describe("RunScheduler: the loop", () => {
  it.effect("a stopped scheduler hands its runs back at once, side by side, and complains of nothing", () =>
    Effect.gen(function* () {
      const { layer, lines } = yield* logged
      // Cleaning up takes each of them a while.
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

  it.effect("however often its worker is stopped, a run has three attempts left", () =>
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

  it.effect("partitions take turns: one that has many runs waiting does not hold up the single run of another", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(Array.from({ length: Limits.runsMax * 4 }), () => created())
      const { id } = yield* created({}, stranger)
      yield* runOnce
      assert.strictEqual((yield* read(id, stranger)).status, "succeeded")
    }).pipe(Effect.provide(world))
  )

  it.effect("quick stages that spend nothing are written together, each with its events and states in order", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      let transactions = 0
      const counting = Storage.of({
        ...storage,
        transaction: (effect) =>
          Effect.andThen(
            Effect.sync(() => transactions++),
            storage.transaction(effect)
          )
      })
      const { id } = yield* created()
      const scheduler = yield* Effect.provideService(anotherScheduler, Storage, counting)
      yield* scheduler.runOnce
      assert.strictEqual((yield* read(id)).status, "succeeded")
      assert.strictEqual(transactions, 2, "the claim, and all the rest")
      const records = yield* Effect.flatMap(RunRecords, ({ all }) => all(live, id, { after: 0, limit: 100 }))
      assert.deepStrictEqual(
        records.map((record) => (record.kind === "state" ? JSON.parse(record.state).status : record.kind)),
        ["queued", "validating", "log", "running", "log", "evaluating", "log", "running", "log", "succeeded"]
      )
    }).pipe(Effect.provide(world))
  )

  const slowOrDear: ReadonlyArray<readonly [what: string, say: Executor["execute"]]> = [
    ["long", (context) => Stream.concat(Stream.fromEffectDrain(Effect.sleep(250)), plain(context))],
    [
      "dear",
      (context) =>
        Stream.concat(Stream.make(Progress.Spend({ usage: { gpuSeconds: 1, judgeTokens: 0 } })), plain(context))
    ]
  ]

  for (const [what, execute] of slowOrDear) {
    it.effect(`the end of a stage that was ${what} is written before the next begins`, () =>
      Effect.gen(function* () {
        const { id } = yield* created({ dryRun: false })
        const runs = yield* Runs
        let seen: Run.Run | undefined
        yield* say((context) => {
          if (context.stage.kind === "sft") return execute(context)
          if (context.stage.kind !== "eval") return plain(context)
          const look = Effect.map(Effect.orDie(runs.get(live, id)), (run) => {
            seen = run
          })
          return Stream.concat(Stream.fromEffectDrain(look), plain(context))
        })
        const worker = yield* Effect.forkChild(runOnce)
        yield* pass("1 second")
        yield* Fiber.join(worker)
        assert.strictEqual(seen?.status, "evaluating")
      }).pipe(Effect.provide(world))
    )
  }

  it.effect("an end that comes while a batch is written is written after it, once", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const [writing, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let transactions = 0
      // The second is that of the batch: the first was the claim.
      const slow = Storage.of({
        ...storage,
        transaction: (effect) =>
          ++transactions === 2
            ? storage.transaction(
                Effect.andThen(Effect.andThen(Deferred.succeed(writing, undefined), Deferred.await(gate)), effect)
              )
            : storage.transaction(effect)
      })
      // All stages are quick; the second goes on while the batch that the first began is written.
      yield* say((context) => {
        if (context.stage.kind === "materialize") {
          const rest = Stream.concat(Stream.fromEffectDrain(Effect.sleep(200)), plain(context))
          return Stream.concat(Stream.make(log("first")), rest)
        }
        return Stream.concat(Stream.fromEffectDrain(Deferred.await(writing)), plain(context))
      })
      const { id } = yield* created()
      const scheduler = yield* Effect.provideService(anotherScheduler, Storage, slow)
      const worker = yield* Effect.forkChild(scheduler.runOnce)
      yield* pass(250)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(worker)
      assert.strictEqual((yield* read(id)).status, "succeeded")
      assert.lengthOf(yield* reports, 1)
      assert.strictEqual((yield* messages(id))[0], "first")
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

  it.effect("no more runs than the limit are worked on at once, and the others follow as they end", () =>
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
      const runs = yield* Effect.forEach(Array.from({ length: Limits.runsMax * 2 + 1 }), () => created())
      const worker = yield* Effect.forkChild(forever)
      yield* pass("61 seconds")
      assert.strictEqual(most, Limits.runsMax)
      yield* pass("3 minutes")
      for (const { id } of runs) assert.strictEqual((yield* read(id)).status, "succeeded")
      assert.strictEqual(most, Limits.runsMax)
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("a scheduler with all hands full rests, though more is due", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => stuck))
      yield* Effect.forEach(Array.from({ length: Limits.runsMax + 1 }), () => created())
      const queue = yield* Queue
      let looks = 0
      const counting = Queue.of({
        ...queue,
        nextDueAt: (topic) =>
          Effect.andThen(
            Effect.sync(() => looks++),
            queue.nextDueAt(topic)
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
