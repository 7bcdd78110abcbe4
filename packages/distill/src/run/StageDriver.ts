/** Walks one claimed run through its stages: what the executor says is written in batches, each fenced by the lease. */
import { notFound } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Work } from "@limbeck/core/queue/Queue"
import { Queue } from "@limbeck/core/queue/Queue"
import type { Stored } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import * as Report from "../report/Report.ts"
import * as ReportResource from "../report/ReportResource.ts"
import { Executors, type Progress, StageFailure } from "./Executor.ts"
import * as Run from "./Run.ts"
import * as RunChanges from "./RunChanges.ts"
import { backoffSeconds, isTerminal, RunEvent, transition } from "./RunMachine.ts"
import { RunRecords } from "./RunRecords.ts"
import { sanitize } from "./Sanitizer.ts"

/** What a stage says is written at least this often, in milliseconds, and at most this much at once. */
const batch = { millis: 250, size: 256 }

type Finished = Extract<Progress, { _tag: "Finished" }>

const hear = (row: Run.RunStage, progress: Progress): Run.RunStage => {
  switch (progress._tag) {
    case "Metric":
      return { ...row, metrics: { ...row.metrics, [progress.name]: progress.value } }
    case "Log":
      return { ...row, hasLogs: true }
    case "Checkpoint":
      return { ...row, checkpoint: progress.checkpoint }
    case "Finished":
      return row
  }
}

/** What the stage row remembers of a batch. */
const remember = (stage: Run.RunStage, said: ReadonlyArray<Progress>): Run.RunStage => said.reduce(hear, stage)

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const records = yield* RunRecords
  const queue = yield* Queue
  const ids = yield* Ids
  const executors = yield* Executors
  const changes = yield* RunChanges.make

  /** A transaction that begins by proving that the lease is still ours. */
  const fenced = <A, E, R>(work: Work, write: (stored: Stored<Run.Run>) => Effect.Effect<A, E, R>) =>
    storage.transaction(
      Effect.andThen(queue.guard(work), Effect.flatMap(changes.find(work.partition, work.subject), write))
    )

  const settleIfEnded = (work: Work, run: Run.Run) => (isTerminal(run.status) ? queue.settle(work) : Effect.void)

  const claimed = (work: Work) =>
    fenced(work, (stored) =>
      isTerminal(stored.value.status)
        ? Effect.as(queue.settle(work), stored.value)
        : Effect.gen(function* () {
            const { value } = yield* changes.move(work.partition, stored, RunEvent.Claimed())
            yield* settleIfEnded(work, value)
            return value
          })
    )

  const reportOf = Effect.fnUntraced(function* (run: Run.Run, version: DatasetVersion.DatasetVersion) {
    const report: Report.Report = {
      id: yield* ids.make("rpt"),
      run: run.id,
      dryRun: run.dryRun,
      summary: ReportResource.summaryOf(run.dryRun, { train: version.trainRows, holdout: version.holdoutRows }),
      rewards: [],
      provenance: {
        datasetVersion: version.id,
        contentSha256: version.contentSha256,
        planHash: run.planHash,
        recipe: run.recipe,
        executor: run.executor
      },
      createdAt: yield* Clock.currentTimeMillis
    }
    return report
  })

  const endStage = Effect.fnUntraced(function* (
    work: Work,
    stored: Stored<Run.Run>,
    finished: Finished,
    version: DatasetVersion.DatasetVersion
  ) {
    const report = yield* reportOf(stored.value, version)
    const { outcome, result } = finished
    const event = RunEvent.StageEnded({ outcome, result, report: report.id, studentModel: null })
    const next = yield* Effect.fromResult(transition(stored.value, event, report.createdAt))
    if (next.status !== "succeeded") return (yield* changes.write(work.partition, stored, next)).value
    yield* Effect.catchTag(resources.insert(work.partition, Report.kind, report), "AlreadyExists", Effect.die)
    const ready = { type: "distill.report.ready", object: ReportResource.render(work.partition, report) }
    yield* changes.write(work.partition, stored, next, [ready])
    yield* queue.settle(work)
    return next
  })

  const record = Effect.fnUntraced(function* (
    work: Work,
    said: ReadonlyArray<Progress>,
    version: DatasetVersion.DatasetVersion
  ) {
    const at = yield* Clock.currentTimeMillis
    return yield* fenced(work, (stored) =>
      Effect.gen(function* () {
        const stage = Run.currentStage(stored.value)
        const metrics = said.filter((progress) => progress._tag === "Metric")
        const logs = said.filter((progress) => progress._tag === "Log")
        yield* records.appendMetrics(
          work.partition,
          work.subject,
          metrics.map(({ name, step, unit, value }) => ({ stage: stage.seq, name, unit, step, value, at }))
        )
        yield* records.appendLogs(
          work.partition,
          work.subject,
          logs.map(({ level, message }) => ({ stage: stage.seq, at, level, message: sanitize(message) }))
        )
        const heard = {
          ...stored.value,
          stages: stored.value.stages.map((row) => (row === stage ? remember(row, said) : row))
        }
        const finished = said.find((progress) => progress._tag === "Finished")
        return finished === undefined
          ? (yield* changes.write(work.partition, stored, { ...heard, updatedAt: at })).value
          : yield* endStage(work, { ...stored, value: heard }, finished, version)
      })
    )
  })

  const failStage = (work: Work, { code, message, retryable }: StageFailure) =>
    fenced(work, (stored) =>
      Effect.gen(function* () {
        const event = RunEvent.StageFailed({ code, message: sanitize(message), retryable })
        const { value } = yield* changes.move(work.partition, stored, event)
        if (isTerminal(value.status)) return yield* queue.settle(work)
        const wait = backoffSeconds(Run.currentStage(value).attemptsOfStart) ?? 0
        return yield* queue.release(work, (yield* Clock.currentTimeMillis) + wait * 1000)
      })
    )

  /** One attempt of the current stage; answers the run as it is after it. */
  const attempt = Effect.fnUntraced(function* (work: Work, run: Run.Run, version: DatasetVersion.DatasetVersion) {
    const executor = executors.find(run.executor)
    if (executor === undefined) {
      const message = `This server has no executor named ${run.executor}`
      return yield* new StageFailure({ code: "executor_missing", message, retryable: false })
    }
    const batches = executor.execute({ run, stage: Run.currentStage(run), version }).pipe(
      Stream.catchCause((cause) => {
        const failure = Cause.squash(cause)
        if (failure instanceof StageFailure || Cause.hasInterruptsOnly(cause)) return Stream.failCause(cause)
        const defect = new StageFailure({
          code: "executor_defect",
          message: "The executor broke down",
          retryable: true
        })
        return Stream.fromEffect(
          Effect.andThen(Effect.logError(`executor ${executor.name} broke down`, cause), Effect.fail(defect))
        )
      }),
      Stream.groupedWithin(batch.size, batch.millis)
    )
    const last = yield* Stream.runFoldEffect(
      batches,
      () => run,
      (_, said) => record(work, said, version)
    )
    if (Run.currentStage(last).seq !== Run.currentStage(run).seq || isTerminal(last.status)) return last
    return yield* new StageFailure({
      code: "no_result",
      message: "The executor ended without a result",
      retryable: true
    })
  })

  const drive = Effect.fn("StageDriver.drive")(function* (work: Work) {
    let run = yield* claimed(work)
    const found = yield* resources.find(work.partition, DatasetVersion.kind, run.datasetVersion)
    const version = Option.isSome(found) ? found.value.value : yield* notFound("dataset version", run.datasetVersion)
    while (!isTerminal(run.status)) run = yield* attempt(work, run, version)
  })

  return {
    /** Ends when the run has ended, or its stage failed and waits for another attempt. */
    drive: (work: Work) => Effect.catchTag(drive(work), "StageFailure", (failure) => failStage(work, failure))
  } as const
})
