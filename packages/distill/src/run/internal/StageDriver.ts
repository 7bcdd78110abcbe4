/**
 * Drives one claimed run through its stages.
 *
 *   claimed ──▶ begin ──▶ attempt ──▶ ended, or due again: its work item is settled or released
 *                          │   ▲
 *                          └───┘ the stage ended, and the run continues with the next
 *   interrupted at any point ──▶ handed back: due at once, and the attempt does not count
 *   the worker before died    ──▶ the attempt does not count; due again after a pause that grows
 *   lease lost at any point  ──▶ nothing more is written
 *
 * One worker holds the run; its executor reports messages, which become steps of the `RunHold`. They are written
 *
 *   1. before an executor starts: an attempt is counted before it can do harm;
 *   2. before anything is spent: `Meter.reserve` returns once the reservation is written;
 *   3. before a trainer gets its scoring access: scoring reads the stored run;
 *   4. 250 ms after the first unwritten step, or at 256 steps: followers see progress while the stage works;
 *   5. at the end of an attempt. A stage that succeeded in less than 250 ms and spent nothing is written with the next:
 *      no more than that is lost with a worker, and done again.
 *   6. when the worker is stopped.
 */
import { Ids } from "@limbeck/core/ids/Ids"
import type { Work } from "@limbeck/core/queue/Queue"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as DatasetVersion from "../../dataset/DatasetVersion.ts"
import * as ReportResource from "../../report/ReportResource.ts"
import * as StudentModel from "../../student/StudentModel.ts"
import * as SuspectWriter from "../../suspects/SuspectWriter.ts"
import { budgetExceeded, endpointName, overBudget, type StageContext, type StageFailure } from "../Executor.ts"
import type * as Run from "../Run.ts"
import { isTerminal, RunEvent, transition } from "../RunMachine.ts"
import { sanitize } from "../Sanitizer.ts"
import * as RunEnding from "./RunEnding.ts"
import * as RunHold from "./RunHold.ts"
import * as RunReads from "./RunReads.ts"
import * as StageContexts from "./StageContexts.ts"
import * as StageMessages from "./StageMessages.ts"
import * as StageProgress from "./StageProgress.ts"

/** Steps are written at least this often, in milliseconds, and at most this many at once. */
const batch = { millis: 250, size: 256 }

const hasSpent = ({ usage }: Run.RunStage): boolean => Object.values(usage).some((amount) => amount > 0)

const move = Effect.fnUntraced(function* (hold: RunHold.RunHold, event: RunEvent) {
  const now = yield* Clock.currentTimeMillis
  hold.move(yield* Effect.fromResult(transition(hold.run(), event, now)))
})

const failStage = (hold: RunHold.RunHold, { code, message, retryable }: StageFailure) =>
  move(
    hold,
    code === budgetExceeded
      ? RunEvent.BudgetExceeded()
      : RunEvent.StageFailed({ code, message: sanitize(message), retryable })
  )

/** The student of a live run that evaluates an external student. */
const externalOf = ({ executor, recipe }: Run.Run): Run.StudentModelId | null => {
  const named = recipe["student_model"]
  return executor === endpointName && StudentModel.isId(named) ? named : null
}

/** The stage is done. If it was the last, the run has succeeded and leaves a report, and perhaps a student model. */
const makeEndStage = Effect.map(Ids, (ids) =>
  Effect.fnUntraced(function* (
    hold: RunHold.RunHold,
    { stage, version }: StageContext,
    { outcome, result }: StageMessages.StageFinish
  ) {
    const run = hold.run()
    const publishes = !run.dryRun && outcome === "succeeded" && stage.kind === "publish"
    const report = yield* ids.make("rpt")
    const studentModel = publishes ? yield* ids.make("stu") : externalOf(run)
    const now = yield* Clock.currentTimeMillis
    const event = RunEvent.StageEnded({ outcome, result, report, studentModel })
    const next = yield* Effect.fromResult(transition(run, event, now))
    if (!isTerminal(next.status)) return hold.move(next)
    const ending = RunEnding.make(next, version, now)
    const object = ReportResource.render(hold.work.partition, ending.report)
    hold.succeed(next, ending, [{ type: "distill.report.ready", object }])
  })
)

/** One attempt of the current stage; returns whether another stage follows. */
const makeAttempt = Effect.gen(function* () {
  const messagesOf = yield* StageMessages.make
  const endStage = yield* makeEndStage
  const writeSuspects = yield* SuspectWriter.make

  /** Returns whether the stage has ended. */
  const handle = Effect.fnUntraced(function* (
    hold: RunHold.RunHold,
    context: StageContext,
    message: StageMessages.StageMessage
  ) {
    const { seq } = context.stage
    const isOverBudget = StageProgress.exceedsBudget(hold.run(), seq, message)
    if (!StageMessages.isEnding(message)) {
      const now = yield* Clock.currentTimeMillis
      const record = StageProgress.recordOf(seq, now, message)
      hold.progress(StageProgress.runAfter(hold.run(), seq, message, now), record)
    }
    if (message._tag === "Examined") {
      yield* writeSuspects(hold.work, { id: context.version.id, origin: hold.run().id }, message.examination)
    }
    if (isOverBudget) yield* failStage(hold, overBudget)
    else if (message._tag === "StageFailure") yield* failStage(hold, message)
    else if (message._tag === "Finished") yield* endStage(hold, context, message)
    else if (hold.unwrittenSteps() >= batch.size) yield* hold.write
    return isOverBudget || StageMessages.isEnding(message)
  })

  return Effect.fn("distill.stage")(function* (hold: RunHold.RunHold, context: StageContext) {
    const { kind, seq } = context.stage
    yield* Effect.annotateCurrentSpan({ "limbeck.stage.kind": kind, "limbeck.stage.seq": seq })
    const startedAt = yield* Clock.currentTimeMillis
    const messages = messagesOf(context)
    yield* Stream.runDrain(Stream.takeUntilEffect(messages, (message) => handle(hold, context, message)))
    const millis = (yield* Clock.currentTimeMillis) - startedAt
    const run = hold.run()
    const row = run.stages[context.stage.seq - 1]
    const goesOn = !isTerminal(run.status) && row?.status !== "running"
    const isCheap = millis < batch.millis && row !== undefined && !hasSpent(row)
    if (!goesOn || !isCheap) yield* hold.write
    return goesOn
  })
})

const writeInTime = ({ awaitUnwritten, write }: RunHold.RunHold) =>
  Effect.forever(Effect.andThen(awaitUnwritten, Effect.andThen(Effect.sleep(batch.millis), write)))

/** The worker is stopped. One that lost its lease has nothing to hand back. */
const handBack = Effect.fnUntraced(
  function* (hold: RunHold.RunHold) {
    if (!hold.isOver()) yield* move(hold, RunEvent.HandedBack())
    yield* hold.write
  },
  (handing) => Effect.ignore(handing)
)

export const make = Effect.gen(function* () {
  const { runOf, versionOf } = yield* RunReads.make
  const holdOf = yield* RunHold.make
  const contextOf = yield* StageContexts.make
  const attempt = yield* makeAttempt

  const walk = Effect.fnUntraced(function* (hold: RunHold.RunHold, version: DatasetVersion.DatasetVersion) {
    while (yield* attempt(hold, contextOf(hold, version))) {}
  })

  const driveHeld = Effect.fnUntraced(function* (hold: RunHold.RunHold) {
    yield* move(hold, RunEvent.Claimed())
    yield* hold.write
    // The run has lost too many workers, or waits for its due time.
    if (hold.isOver()) return
    const walking = Effect.flatMap(versionOf(hold.run(), hold.work.partition), (version) => walk(hold, version))
    const driving = Effect.raceFirst(walking, writeInTime(hold))
    yield* Effect.onInterrupt(driving, () => handBack(hold))
  })

  return {
    /** Ends when the run has ended, or its stage failed and waits for another attempt. */
    drive: Effect.fn("StageDriver.drive")(function* (work: Work) {
      const hold = holdOf(work, yield* runOf(work))
      if (isTerminal(hold.run().status)) return yield* hold.settle
      const span = { attributes: { "limbeck.run.id": work.subject, "limbeck.run.dry_run": hold.run().dryRun } }
      yield* Trace.continueTrace(hold.run().traceparent, "distill.run", span)(driveHeld(hold))
    })
  } as const
})
