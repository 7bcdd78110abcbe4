/**
 * Walks one claimed run through its stages. What the executor says is written in batches, each fenced by the lease; a batch
 * may hold whole stages, as long as they took no longer than a batch may wait and spent nothing: no more than that is lost
 * with a worker, and done again.
 */
import { Ids } from "@limbeck/core/ids/Ids"
import type { Work } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import * as Evaluator from "../report/Evaluator.ts"
import * as ReportResource from "../report/ReportResource.ts"
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
import * as RunHold from "./RunHold.ts"
import { backoffSeconds, isTerminal, RunEvent, transition } from "./RunMachine.ts"
import type { NewRecord } from "./RunRecords.ts"
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
          const heard = yield* evaluator.hear(progress, usage)
          const spent = Stream.succeed<Progress>(Progress.Spend({ usage: heard.usage }))
          return heard.failure === null ? spent : Stream.concat(spent, Stream.fail(heard.failure))
        }
        const isResult = progress._tag === "Finished" && answers > 0
        return Stream.succeed<Progress>(isResult ? { ...progress, result: evaluator.result() } : progress)
      })
      return Stream.flatMap(said, (progress) => Stream.unwrap(hear(progress)))
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

/** The stage's row after a word. */
const heardBy = (row: Run.RunStage, said: Progress): Run.RunStage => {
  switch (said._tag) {
    case "Metric":
      return { ...row, metrics: { ...row.metrics, [said.name]: said.value } }
    case "Log":
      return row.hasLogs ? row : { ...row, hasLogs: true }
    case "Checkpoint":
      return { ...row, checkpoint: { state: said.state, usage: said.usage } }
    default:
      return row
  }
}

/** The run whose stage remembers a word, and counts what it says was spent; a checkpoint says it too. */
const remember = (run: Run.Run, seq: number, said: Progress, at: number): Run.Run => {
  const counted = said._tag === "Spend" || said._tag === "Checkpoint" ? Budget.spend(run, seq, said.usage) : run
  return {
    ...counted,
    updatedAt: at,
    stages: counted.stages.map((row) => (row.seq === seq ? heardBy(row, said) : row))
  }
}

/** Whether a stage spent what the budget does not hold; it has ended then, whatever it says. */
const isOver = (run: Run.Run, seq: number, said: Said): boolean =>
  (said._tag === "Spend" || said._tag === "Checkpoint") && !Budget.holds(run, seq, said.usage)

const recordOf = (stage: number, at: number, said: Progress): NewRecord | undefined => {
  switch (said._tag) {
    case "Metric":
      return {
        kind: "metric",
        point: { stage, name: said.name, unit: said.unit, step: said.step, value: said.value, at }
      }
    case "Log":
      return { kind: "log", line: { stage, at, level: said.level, message: sanitize(said.message) } }
    default:
      return undefined
  }
}

const hasSpent = ({ usage }: Run.RunStage): boolean => usage.gpuSeconds > 0 || usage.judgeTokens > 0

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const executors = yield* Executors
  const changes = yield* RunChanges.make
  const holdOf = yield* RunHold.make
  const contextOf = yield* StageContexts.make
  const makeEvaluator = yield* Evaluator.make

  /** Nothing is begun before it is counted: whatever a stage does to this process, its attempts are limited. */
  const begin = Effect.fnUntraced(function* (hold: RunHold.RunHold) {
    const now = yield* Clock.currentTimeMillis
    hold.move(yield* Effect.fromResult(transition(hold.run(), RunEvent.Claimed(), now)))
    yield* hold.write
  })

  const endStage = Effect.fnUntraced(function* (
    { move, leave, run, work }: RunHold.RunHold,
    { outcome, result }: Finished,
    { stage, version }: StageContext,
    now: number
  ) {
    const publishes = !run().dryRun && outcome === "succeeded" && stage.kind === "publish"
    const event = RunEvent.StageEnded({
      outcome,
      result,
      report: yield* ids.make("rpt"),
      studentModel: publishes ? yield* ids.make("stu") : null
    })
    const next = yield* Effect.fromResult(transition(run(), event, now))
    if (!isTerminal(next.status)) return move(next)
    const ending = RunEnding.make(next, version, now)
    leave(ending)
    move(next, [{ type: "distill.report.ready", object: ReportResource.render(work.partition, ending.report) }])
  })

  const failStage = Effect.fnUntraced(function* (
    { giveBackAt, move, run }: RunHold.RunHold,
    { code, message, retryable }: StageFailure,
    now: number
  ) {
    const event =
      code === budgetExceeded
        ? RunEvent.BudgetExceeded()
        : RunEvent.StageFailed({ code, message: sanitize(message), retryable })
    const next = yield* Effect.fromResult(transition(run(), event, now))
    move(next)
    const wait = backoffSeconds(Run.currentStage(next).attemptsOfStart) ?? 0
    if (!isTerminal(next.status)) giveBackAt(now + wait * 1000)
  })

  /** Takes a word; answers whether it was the last. */
  const hear = Effect.fnUntraced(function* (hold: RunHold.RunHold, context: StageContext, said: Said) {
    const now = yield* Clock.currentTimeMillis
    const { seq } = context.stage
    const failed = isOver(hold.run(), seq, said) ? overBudget : said._tag === "StageFailure" ? said : null
    if (said._tag !== "StageFailure" && said._tag !== "Finished") {
      hold.note(remember(hold.run(), seq, said, now), recordOf(seq, now, said))
    }
    if (failed !== null) yield* failStage(hold, failed, now)
    else if (said._tag === "Finished") yield* endStage(hold, said, context, now)
    else if (hold.waiting() >= batch.size) yield* hold.write
    return failed !== null || said._tag === "Finished"
  })

  const saidBy = (executor: Executor, context: StageContext) => {
    const said = Stream.suspend(() => executor.execute(context))
    return context.stage.kind === "eval" ? evaluated(makeEvaluator, context, said) : said
  }

  /** One attempt of the current stage; answers whether there is more to drive. */
  const attempt = Effect.fnUntraced(function* (hold: RunHold.RunHold, context: StageContext) {
    const { run, stage } = context
    const startedAt = yield* Clock.currentTimeMillis
    const executor = executors.find(run.executor)
    const message = `This server has no executor named ${run.executor}`
    const said =
      executor === undefined
        ? Stream.succeed<Said>(new StageFailure({ code: "executor_missing", message, retryable: false }))
        : listen(executor, saidBy(executor, context))
    yield* Stream.runDrain(Stream.takeUntilEffect(said, (one) => hear(hold, context, one)))
    const now = yield* Clock.currentTimeMillis
    const after = hold.run()
    const row = after.stages[stage.seq - 1]
    const isOpen = !isTerminal(after.status) && row?.status !== "running"
    const isLight = now - startedAt < batch.millis && row !== undefined && !hasSpent(row)
    if (!isOpen || !isLight) yield* hold.write
    return isOpen
  })

  const writeInTime = ({ untilHeard, write }: RunHold.RunHold) =>
    Effect.forever(Effect.andThen(untilHeard, Effect.andThen(Effect.sleep(batch.millis), write)))

  const walk = Effect.fnUntraced(function* (hold: RunHold.RunHold, version: DatasetVersion.DatasetVersion) {
    while (yield* attempt(hold, contextOf(hold, version))) {}
  })

  /** Of a worker that is stopped. Whoever lost the lease has nothing to hand back. */
  const handBack = Effect.fnUntraced(
    function* (hold: RunHold.RunHold) {
      if (!hold.isOver()) {
        const now = yield* Clock.currentTimeMillis
        hold.move(yield* Effect.fromResult(transition(hold.run(), RunEvent.HandedBack(), now)))
        hold.giveBackAt(now)
      }
      yield* hold.write
    },
    (handing) => Effect.ignore(handing)
  )

  return {
    /** Ends when the run has ended, or its stage failed and waits for another attempt. */
    drive: Effect.fn("StageDriver.drive")(function* (work: Work) {
      const hold = holdOf(work, yield* changes.find(work.partition, work.subject))
      if (isTerminal(hold.run().status)) return yield* hold.settle
      yield* begin(hold)
      if (isTerminal(hold.run().status)) return
      const found = yield* resources.find(work.partition, DatasetVersion.kind, hold.run().datasetVersion)
      // A version is never removed, so a run without one is our defect.
      const driving = Effect.raceFirst(walk(hold, Option.getOrThrow(found).value), writeInTime(hold))
      yield* Effect.onInterrupt(driving, () => handBack(hold))
    })
  } as const
})
