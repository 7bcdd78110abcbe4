/** Walks one claimed run through its stages: what the executor says is written in batches, each fenced by the lease. */
import { Ids } from "@limbeck/core/ids/Ids"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import type { Stored } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import * as Evaluator from "../report/Evaluator.ts"
import * as Report from "../report/Report.ts"
import * as ReportResource from "../report/ReportResource.ts"
import * as StudentModel from "../student/StudentModel.ts"
import * as Budget from "./Budget.ts"
import {
  budgetExceeded,
  type Executor,
  Executors,
  overBudget,
  Progress,
  type StageContext,
  StageFailure
} from "./Executor.ts"
import * as Run from "./Run.ts"
import * as RunChanges from "./RunChanges.ts"
import * as RunEnding from "./RunEnding.ts"
import { backoffSeconds, isTerminal, RunEvent, transition } from "./RunMachine.ts"
import { RunRecords } from "./RunRecords.ts"
import { sanitize } from "./Sanitizer.ts"
import * as StageContexts from "./StageContexts.ts"

/** What a stage says is written at least this often, in milliseconds, and at most this much at once. */
const batch = { millis: 250, size: 256 }

type Finished = Extract<Progress, { _tag: "Finished" }>

/** What is heard of an attempt: progress, and at last one ending. */
type Said = Progress | StageFailure
const isEnding = (said: Said): said is Finished | StageFailure =>
  said._tag === "Finished" || said._tag === "StageFailure"

const noResult = new StageFailure({
  code: "no_result",
  message: "The executor ended without a result",
  retryable: true
})

/** JSON has no such numbers, and a loss that diverged should not go unsaid. */
const finite = (progress: Progress): Progress =>
  progress._tag === "Metric" && !Number.isFinite(progress.value)
    ? Progress.Log({ level: "warn", message: `${progress.name} is ${progress.value} at step ${progress.step}` })
    : progress

/** A failure is the executor's word; anything else that breaks it off is its defect. */
const endingOf = (executor: Executor, cause: Cause.Cause<StageFailure>) => {
  const failure = Cause.squash(cause)
  if (failure instanceof StageFailure) return Effect.succeed(failure)
  return Effect.as(
    Effect.logError(`executor ${executor.name} broke down`, cause),
    new StageFailure({ code: "executor_defect", message: "The executor broke down", retryable: true })
  )
}

/** Answers are scored as they come; the result of an evaluation that had any is what was found. */
const evaluated = (
  makeEvaluator: Effect.Success<typeof Evaluator.make>,
  context: StageContext,
  said: Stream.Stream<Progress, StageFailure>
) =>
  Stream.unwrap(
    Effect.map(makeEvaluator(context), (evaluator) => {
      let usage = context.meter.start
      let answers = 0
      const hear = Effect.fnUntraced(function* (progress: Progress) {
        if (progress._tag === "Spend" || progress._tag === "Checkpoint") usage = progress.usage
        if (progress._tag === "Answer") {
          answers++
          return Progress.Spend({ usage: yield* evaluator.hear(progress, usage) })
        }
        const isResult = progress._tag === "Finished" && answers > 0
        return isResult ? { ...progress, result: evaluator.result() } : progress
      })
      return Stream.mapEffect(said, hear)
    })
  )

/** All that an attempt says, up to its one ending, which comes in the last batch together with what was said before it. */
const listen = (executor: Executor, said: Stream.Stream<Progress, StageFailure>) =>
  said.pipe(
    Stream.map(finite),
    Stream.concat(Stream.succeed<Said>(noResult)),
    Stream.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Stream.failCause(cause) : Stream.fromEffect(endingOf(executor, cause))
    ),
    Stream.takeUntil(isEnding)
  )

const hear = (row: Run.RunStage, said: Said): Run.RunStage => {
  switch (said._tag) {
    case "Metric":
      return { ...row, metrics: { ...row.metrics, [said.name]: said.value } }
    case "Log":
      return { ...row, hasLogs: true }
    case "Checkpoint":
      return { ...row, checkpoint: { state: said.state, usage: said.usage } }
    default:
      return row
  }
}

/** The run whose running stage remembers a batch. */
const remember = (run: Run.Run, seq: number, said: ReadonlyArray<Said>): Run.Run => ({
  ...run,
  stages: run.stages.map((row) => (row.seq === seq ? said.reduce(hear, row) : row))
})

/** All that a batch says was spent; a checkpoint says it too. */
const spendings = (said: ReadonlyArray<Said>): ReadonlyArray<Run.Usage> =>
  said.flatMap((one) => (one._tag === "Spend" || one._tag === "Checkpoint" ? [one.usage] : []))

const spent = (run: Run.Run, seq: number, said: ReadonlyArray<Said>): Run.Run =>
  spendings(said).reduce((counted, usage) => Budget.spend(counted, seq, usage), run)

/** The ending of a batch; a stage that spent what the budget does not hold has ended, whatever it says. */
const endingIn = (run: Run.Run, seq: number, said: ReadonlyArray<Said>): Finished | StageFailure | undefined =>
  spendings(said).every((usage) => Budget.holds(run, seq, usage)) ? said.find(isEnding) : overBudget

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const records = yield* RunRecords
  const queue = yield* Queue
  const ids = yield* Ids
  const executors = yield* Executors
  const changes = yield* RunChanges.make
  const contextOf = yield* StageContexts.make
  const makeEvaluator = yield* Evaluator.make

  /** A transaction that begins by proving that the lease is still ours. */
  const fenced = <A, E, R>(work: Work, write: (stored: Stored<Run.Run>) => Effect.Effect<A, E, R>) =>
    storage.transaction(
      Effect.andThen(queue.guard(work), Effect.flatMap(changes.find(work.partition, work.subject), write))
    )

  /** What is left to drive of a run: nothing after its end. */
  const settleIfEnded = (work: Work, run: Run.Run) =>
    isTerminal(run.status) ? Effect.as(queue.settle(work), null) : Effect.succeed(run)

  const claimed = (work: Work) =>
    fenced(work, (stored) =>
      isTerminal(stored.value.status)
        ? settleIfEnded(work, stored.value)
        : Effect.flatMap(changes.move(work.partition, stored, RunEvent.Claimed()), ({ value }) =>
            settleIfEnded(work, value)
          )
    )

  /** The run's last stage has succeeded: its report, and its student model, are made with it. */
  const finish = Effect.fnUntraced(function* (
    work: Work,
    stored: Stored<Run.Run>,
    next: Run.Run,
    version: DatasetVersion.DatasetVersion
  ) {
    const { partition } = work
    const { report, studentModel } = RunEnding.make(next, version, next.updatedAt)
    yield* Effect.catchTag(resources.insert(partition, Report.kind, report), "AlreadyExists", Effect.die)
    if (studentModel !== null) {
      yield* Effect.catchTag(resources.insert(partition, StudentModel.kind, studentModel), "AlreadyExists", Effect.die)
    }
    const ready = { type: "distill.report.ready", object: ReportResource.render(partition, report) }
    yield* changes.write(partition, stored, next, [ready])
    return yield* settleIfEnded(work, next)
  })

  const endStage = Effect.fnUntraced(function* (
    work: Work,
    stored: Stored<Run.Run>,
    { outcome, result }: Finished,
    version: DatasetVersion.DatasetVersion
  ) {
    const { dryRun } = stored.value
    const publishes = !dryRun && outcome === "succeeded" && Run.currentStage(stored.value).kind === "publish"
    const event = RunEvent.StageEnded({
      outcome,
      result,
      report: yield* ids.make("rpt"),
      studentModel: publishes ? yield* ids.make("stu") : null
    })
    const next = yield* Effect.fromResult(transition(stored.value, event, yield* Clock.currentTimeMillis))
    if (isTerminal(next.status)) return yield* finish(work, stored, next, version)
    return (yield* changes.write(work.partition, stored, next)).value
  })

  const failStage = Effect.fnUntraced(function* (work: Work, stored: Stored<Run.Run>, failure: StageFailure) {
    const { code, message, retryable } = failure
    const event =
      code === budgetExceeded
        ? RunEvent.BudgetExceeded()
        : RunEvent.StageFailed({ code, message: sanitize(message), retryable })
    const { value } = yield* changes.move(work.partition, stored, event)
    const wait = backoffSeconds(Run.currentStage(value).attemptsOfStart) ?? 0
    if (isTerminal(value.status)) yield* queue.settle(work)
    else yield* queue.release(work, value.updatedAt + wait * 1000)
    return null
  })

  const append = Effect.fnUntraced(function* (work: Work, stage: number, at: number, said: ReadonlyArray<Said>) {
    const { partition, subject } = work
    const metrics = said.filter((one) => one._tag === "Metric")
    const logs = said.filter((one) => one._tag === "Log")
    yield* records.appendMetrics(
      partition,
      subject,
      metrics.map(({ name, step, unit, value }) => ({ stage, name, unit, step, value, at }))
    )
    yield* records.appendLogs(
      partition,
      subject,
      logs.map(({ level, message }) => ({ stage, at, level, message: sanitize(message) }))
    )
  })

  /** Writes a batch; answers the run if it is still ours to drive, else null. */
  const record = (work: Work, { stage, version }: StageContext, said: ReadonlyArray<Said>) =>
    fenced(
      work,
      Effect.fnUntraced(function* (stored) {
        const at = yield* Clock.currentTimeMillis
        yield* append(work, stage.seq, at, said)
        const value = { ...remember(spent(stored.value, stage.seq, said), stage.seq, said), updatedAt: at }
        const ending = endingIn(stored.value, stage.seq, said)
        if (ending === undefined) return (yield* changes.write(work.partition, stored, value)).value
        return ending._tag === "Finished"
          ? yield* endStage(work, { ...stored, value }, ending, version)
          : yield* failStage(work, { ...stored, value }, ending)
      })
    )

  const saidBy = (executor: Executor, context: StageContext) => {
    const said = Stream.suspend(() => executor.execute(context))
    return context.stage.kind === "eval" ? evaluated(makeEvaluator, context, said) : said
  }

  /** One attempt of the current stage; answers as `record` does of its last batch. */
  const attempt = (work: Work, context: StageContext) => {
    const { run } = context
    const executor = executors.find(run.executor)
    const message = `This server has no executor named ${run.executor}`
    const said =
      executor === undefined
        ? Stream.succeed<Said>(new StageFailure({ code: "executor_missing", message, retryable: false }))
        : listen(executor, saidBy(executor, context))
    return Stream.runFoldEffect(
      Stream.groupedWithin(said, batch.size, batch.millis),
      (): Run.Run | null => run,
      (_, said) => record(work, context, said)
    )
  }

  return {
    /** Ends when the run has ended, or its stage failed and waits for another attempt. */
    drive: Effect.fn("StageDriver.drive")(function* (work: Work) {
      let run = yield* claimed(work)
      if (run === null) return
      const found = yield* resources.find(work.partition, DatasetVersion.kind, run.datasetVersion)
      // A version is never removed, so a run without one is our defect.
      const version = Option.getOrThrow(found).value
      while (run !== null) run = yield* attempt(work, contextOf(work, run, version))
    })
  } as const
})
