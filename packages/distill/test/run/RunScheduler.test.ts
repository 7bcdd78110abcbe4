import { assert, describe, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import { Executors, Progress } from "@limbeck/distill/run/Executor"
import * as Run from "@limbeck/distill/run/Run"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import { llm, recipe } from "@limbeck/testing/fixtures/Plans"
import * as Counters from "@limbeck/testing/telemetry/Counters"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
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
  stageOf,
  told,
  typesTold,
  world
} from "./World.ts"

/** Counters of rehearsals in this process: runs that succeeded, attempts at training, and their seconds. */
const counters = Effect.all([
  Counters.total("limbeck_run_states_total", { mode: "dry_run", status: "succeeded" }),
  Counters.total("limbeck_run_stages_total", { kind: "sft", outcome: "succeeded" }),
  Counters.total("limbeck_run_stage_seconds_total", { kind: "sft", outcome: "succeeded" })
])

describe("RunScheduler: the walk", () => {
  it.effect("metrics count a run, its attempts at stages and their seconds once (P1673)", () =>
    Effect.gen(function* () {
      const before = yield* counters
      yield* say(at("sft", () => Stream.fromEffect(Effect.as(TestClock.adjust("7 seconds"), done({ made: "sft" })))))
      yield* driven()
      const after = yield* counters
      assert.deepStrictEqual(
        after.map((value, index) => value - (before[index] ?? 0)),
        [1, 1, 7]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a rehearsal walks its stages in order and tells each step once (P34)", () =>
    Effect.gen(function* () {
      const run = yield* driven()
      const script = yield* Script
      assert.deepStrictEqual(
        script.heard.map(({ stage }) => stage.kind),
        ["materialize", "sft", "eval", "publish"]
      )
      assert.deepStrictEqual(
        run.stages.map(({ attempt, status }) => [status, attempt]),
        [
          ["succeeded", 1],
          ["succeeded", 1],
          ["skipped", 0],
          ["succeeded", 1],
          ["skipped", 1]
        ]
      )
      assert.deepInclude(run, { status: "succeeded", studentModel: null, error: null })
      assert.deepStrictEqual(run.totals, { gpuSeconds: 0, judgeTokens: 0, costMicros: 0 })
      assert.deepStrictEqual(yield* typesTold(), [
        "run.created",
        "run.started",
        "run.stage_succeeded",
        "run.stage_succeeded",
        "run.stage_succeeded",
        "report.ready",
        "run.succeeded"
      ])
      assert.strictEqual(yield* (yield* Queue).nextDueAt(Run.topic), null, "nothing is left to do")
    }).pipe(Effect.provide(world))
  )

  it.effect("a full recipe is validated, trained, evaluated and published, each under its status", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const fields = { dryRun: true, recipeAsSent: recipe(["sft", "grpo", "eval", "publish"], llm) }
      const run = yield* driven(fields)
      assert.deepStrictEqual(
        script.heard.map(({ run, stage }) => `${stage.seq} ${stage.kind} ${run.status}`),
        ["1 materialize validating", "2 sft running", "3 grpo running", "4 eval evaluating", "5 publish running"]
      )
      assert.deepStrictEqual(Run.currentStage(run).seq, 5)
    }).pipe(Effect.provide(world))
  )

  it.effect("an event shows the run as it was then; a stage's end and the next beginning are one step", () =>
    Effect.gen(function* () {
      yield* driven()
      const events = yield* told()
      const statuses = events.map(({ object, type }) => `${type} ${object.status}`)
      assert.deepStrictEqual(statuses, [
        "run.created queued",
        "run.started validating",
        "run.stage_succeeded running",
        "run.stage_succeeded evaluating",
        "run.stage_succeeded running",
        "report.ready ready",
        "run.succeeded succeeded"
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("the report is there once, ready, names its run, and is named by it (P34)", () =>
    Effect.gen(function* () {
      const run = yield* driven()
      const [report, ...others] = yield* reports
      assert.isEmpty(others)
      assert.strictEqual(report?.id, run.report)
      assert.deepInclude(report, { run: run.id, dryRun: true, evaluation: null })
      const { executor, planHash, recipe } = report?.provenance ?? {}
      assert.deepStrictEqual(
        { executor, planHash, recipe },
        { executor: "scripted", planHash: run.planHash, recipe: run.recipe }
      )
      const [ready] = (yield* told()).filter(({ type }) => type === "report.ready")
      const { id, status } = ready?.object ?? {}
      assert.deepStrictEqual([id, ready?.object.run, status], [run.report, run.id, "ready"])
    }).pipe(Effect.provide(world))
  )

  it.effect("a stage gets the results of those before it", () =>
    Effect.gen(function* () {
      yield* driven()
      const { heard } = yield* Script
      const results = heard.map(({ run }) => run.stages.map(({ result }) => result))
      assert.deepStrictEqual(results.at(-1), [{ made: "materialize" }, { made: "sft" }, null, { made: "eval" }, null])
    }).pipe(Effect.provide(world))
  )

  it.effect("what comes after the last word is not heard", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => Stream.make(log("one"), done(1), log("two"), done(2), metric(1, 1))))
      const run = yield* driven()
      assert.strictEqual(run.status, "succeeded")
      assert.deepStrictEqual(
        run.stages.map(({ result }) => result),
        [{ made: "materialize" }, 1, null, { made: "eval" }, null]
      )
      assert.notInclude(yield* messages(run.id), "two")
    }).pipe(Effect.provide(world))
  )
})

describe("RunScheduler: records", () => {
  it.effect("logs and metrics are stored by stage, free of credentials, and the row has the last values (P35)", () =>
    Effect.gen(function* () {
      yield* say(
        at("sft", () =>
          Stream.make(
            log("Authorization: Bearer abcdef0123456789"),
            metric(1, 0.9),
            Progress.Metric({ name: "accuracy", unit: "share", step: 1, value: 0.5 }),
            metric(2, 0.4),
            log("pushing to https://me:hunter2@hub.example/repo"),
            done()
          )
        )
      )
      const run = yield* driven()
      const lines = (yield* linesOf(run.id)).filter(({ stage }) => stage === 2)
      assert.deepStrictEqual(
        lines.map(({ level, message }) => [level, message]),
        [
          ["info", "Authorization: [redacted]"],
          ["info", "pushing to https://[redacted]@hub.example/repo"]
        ]
      )
      const points = yield* Effect.flatMap(RunRecords, (records) => records.metrics(live, run.id))
      assert.deepStrictEqual(
        points.map(({ name, stage, step, unit, value }) => [stage, name, unit, step, value]),
        [
          [2, "loss", "nats", 1, 0.9],
          [2, "accuracy", "share", 1, 0.5],
          [2, "loss", "nats", 2, 0.4]
        ]
      )
      assert.deepInclude(stageOf(run, "sft"), { hasLogs: true })
      assert.deepStrictEqual(stageOf(run, "sft")?.metrics, { loss: 0.4, accuracy: 0.5 })
      assert.deepStrictEqual(stageOf(run, "grpo")?.metrics, {})
      assert.isFalse(stageOf(run, "grpo")?.hasLogs)
    }).pipe(Effect.provide(world))
  )

  it.effect("what a stage says can be read while it works, within a quarter of a second", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => Stream.concat(Stream.make(log("begun"), metric(1, 0.9)), Stream.never)))
      const { id } = yield* created()
      const worker = yield* Effect.forkChild(runOnce)
      yield* pass(250)
      assert.include(yield* messages(id), "begun")
      assert.deepStrictEqual(stageOf(yield* read(id), "sft")?.metrics, { loss: 0.9 })
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("much that is said at once is written in the order in which it was said", () =>
    Effect.gen(function* () {
      const count = 1_000
      const lines = Array.from({ length: count }, (_, index) => log(`line ${index}`))
      yield* say(at("sft", () => Stream.fromIterable([...lines, done()])))
      const run = yield* driven()
      const said = (yield* linesOf(run.id)).filter(({ stage }) => stage === 2)
      assert.deepStrictEqual(
        said.map(({ message }) => message),
        Array.from({ length: Math.min(count, said.length) }, (_, index) => `line ${index}`)
      )
      assert.isAbove(said.length, 990, "the window of a read is 1,000 lines, of all stages")
    }).pipe(Effect.provide(world))
  )

  it.effect("a value that is no number is told in the log, and kept out of the series", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => Stream.make(metric(1, 0.5), metric(2, Number.NaN), done())))
      const run = yield* driven()
      assert.deepStrictEqual(stageOf(run, "sft")?.metrics, { loss: 0.5 })
      assert.include(yield* messages(run.id), "loss is NaN at step 2")
    }).pipe(Effect.provide(world))
  )
})

describe("RunScheduler: failures", () => {
  it.effect("a failure that may pass is tried again after 5 and after 30 seconds, and then the run fails", () =>
    Effect.gen(function* () {
      yield* say(at("sft", () => Stream.concat(Stream.make(log("loading")), failing(true))))
      const { id } = yield* created()
      const worker = yield* Effect.forkChild(forever)
      const begun = () => Effect.map(Script, ({ heard }) => heard.filter(({ stage }) => stage.kind === "sft").length)
      yield* pass(4_999)
      assert.strictEqual(yield* begun(), 1)
      const waiting = yield* read(id)
      assert.strictEqual(waiting.status, "running")
      assert.deepInclude(stageOf(waiting, "sft"), { status: "running", attempt: 1 })
      assert.deepStrictEqual(stageOf(waiting, "sft")?.error, { code: "oom", message: "Out of memory" })
      yield* pass(1)
      assert.strictEqual(yield* begun(), 2)
      yield* pass(29_999)
      assert.strictEqual(yield* begun(), 2)
      yield* pass(1)
      assert.strictEqual(yield* begun(), 3)
      const failed = yield* read(id)
      assert.deepInclude(failed, { status: "failed", report: null })
      assert.deepStrictEqual(failed.error, { code: "oom", message: "Out of memory", stage: 2 })
      assert.deepStrictEqual(
        failed.stages.map(({ attempt, status }) => [status, attempt]),
        [
          ["succeeded", 1],
          ["failed", 3],
          ["skipped", 0],
          ["pending", 0],
          ["pending", 0]
        ]
      )
      yield* pass("10 minutes")
      assert.strictEqual(yield* begun(), 3)
      assert.deepStrictEqual(yield* typesTold(), ["run.created", "run.started", "run.stage_succeeded", "run.failed"])
      assert.isEmpty(yield* reports)
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(world))
  )

  it.effect("an attempt that fares better lets the run go on, and its error is gone", () =>
    Effect.gen(function* () {
      yield* say(at("sft", (context) => (context.stage.attempt < 2 ? failing(true) : plain(context))))
      const { id } = yield* created()
      yield* runOnce
      yield* pass("5 seconds")
      yield* runOnce
      const run = yield* read(id)
      assert.strictEqual(run.status, "succeeded")
      assert.deepInclude(stageOf(run, "sft"), { attempt: 2, error: null })
    }).pipe(Effect.provide(world))
  )

  it.effect("a failure for good fails the run at once", () =>
    Effect.gen(function* () {
      yield* say(at("eval", () => failing(false, "bad key sk-abcdefgh12345678")))
      const run = yield* driven()
      assert.deepStrictEqual(run.error, { code: "oom", message: "bad key [redacted]", stage: 4 })
      assert.strictEqual(stageOf(run, "eval")?.attempt, 1)
      assert.strictEqual(yield* (yield* Queue).nextDueAt(Run.topic), null)
      assert.deepStrictEqual(yield* typesTold(), [
        "run.created",
        "run.started",
        "run.stage_succeeded",
        "run.stage_succeeded",
        "run.failed"
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("what a stage said before it failed is stored: it tells why", () =>
    Effect.gen(function* () {
      const last = Stream.make(log("CUDA out of memory"), metric(3, 0.7), checkpoint(3))
      yield* say(at("sft", () => Stream.concat(last, failing(true))))
      const run = yield* driven()
      assert.include(yield* messages(run.id), "CUDA out of memory")
      assert.deepInclude(stageOf(run, "sft"), { status: "running", checkpoint: remembered(3), hasLogs: true })
      assert.deepStrictEqual(stageOf(run, "sft")?.metrics, { loss: 0.7 })
    }).pipe(Effect.provide(world))
  )

  it.effect("an executor that breaks down is tried again; nobody outside is told how it broke", () =>
    Effect.gen(function* () {
      const { layer, lines } = yield* logged
      const breaks = [
        () => Stream.die(new Error("secret detail")),
        () => Stream.concat(Stream.make(log("before")), Stream.die("secret detail")),
        () => {
          throw new Error("secret detail")
        }
      ]
      for (const breaking of breaks) {
        yield* say(at("sft", breaking))
        const run = yield* Effect.provide(driven(), layer)
        assert.strictEqual(run.status, "running")
        assert.deepStrictEqual(stageOf(run, "sft")?.error, {
          code: "executor_defect",
          message: "The executor broke down"
        })
      }
      assert.lengthOf(lines, breaks.length)
      assert.notInclude(JSON.stringify(yield* told()), "secret detail")
    }).pipe(Effect.provide(world))
  )

  it.effect("an executor that ends without a result is tried again, also when it said nothing", () =>
    Effect.gen(function* () {
      for (const silent of [Stream.empty, Stream.make(log("bye"))]) {
        yield* say(at("sft", () => silent))
        const run = yield* driven()
        assert.deepInclude(stageOf(run, "sft"), { status: "running", attempt: 1 })
        assert.strictEqual(stageOf(run, "sft")?.error?.code, "no_result")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a run whose executor is not set up here fails, and says so", () =>
    Effect.gen(function* () {
      const { id } = yield* created()
      const executors = Executors.of({ ...(yield* Executors), find: () => undefined })
      const scheduler = yield* Effect.provideService(anotherScheduler, Executors, executors)
      yield* scheduler.runOnce
      assert.deepInclude((yield* read(id)).error, { code: "executor_missing", stage: 1 })
    }).pipe(Effect.provide(world))
  )

  it.effect("a next attempt goes on from the last checkpoint", () =>
    Effect.gen(function* () {
      yield* say(
        at("sft", (context) =>
          context.stage.attempt < 2
            ? Stream.concat(Stream.make(checkpoint({ step: 1 }), checkpoint({ step: 2 })), failing(true))
            : plain(context)
        )
      )
      yield* created()
      yield* runOnce
      yield* pass("5 seconds")
      yield* runOnce
      const { heard } = yield* Script
      assert.deepStrictEqual(
        heard.filter(({ stage }) => stage.kind === "sft").map(({ stage }) => stage.checkpoint),
        [null, remembered({ step: 2 })]
      )
    }).pipe(Effect.provide(world))
  )
})
