/**
 * The life of a run, as data (service-api 3.1, contract 5). `edges` says which event may lead where; `transition` moves a
 * run and its five stage rows together. Nothing else does.
 */
import * as Machine from "@limbeck/core/machine/Machine"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"
import type { StageKind } from "../recipe/Recipe.ts"
import * as SeededRandom from "../report/statistics/SeededRandom.ts"
import { noUsage } from "./Budget.ts"
import { currentStage, type ReportId, type Run, type RunStage, type RunStatus, type StudentModelId } from "./Run.ts"

export type RunEvent = Data.TaggedEnum<{
  /** A worker took the run up: for the first time, after a pause, or after another worker's lease ran out. */
  Claimed: {}
  /** The running stage has ended. `report` and `studentModel` are the run's results if this was its last stage. */
  StageEnded: {
    readonly outcome: "succeeded" | "skipped"
    readonly result: Schema.Json
    readonly report: ReportId
    readonly studentModel: StudentModelId | null
  }
  /** The worker was stopped, and released the run for the next one. */
  HandedBack: {}
  StageFailed: { readonly code: string; readonly message: string; readonly retryable: boolean }
  /** The next quantum of spend would pass the budget. */
  BudgetExceeded: {}
  CancelRequested: {}
  /** The run's version failed, or refuses the plan. */
  PlanRefused: { readonly code: string; readonly message: string }
  /** Somebody starts a failed or canceled run again, from a stage. */
  Retried: { readonly fromStage: number }
}>
export const RunEvent = Data.taggedEnum<RunEvent>()

export const edges = {
  queued: { Claimed: ["validating", "running", "evaluating"], CancelRequested: ["canceled"], PlanRefused: ["failed"] },
  validating: {
    Claimed: ["validating", "failed"],
    StageEnded: ["running", "evaluating", "succeeded"],
    HandedBack: ["validating"],
    StageFailed: ["validating", "failed"],
    BudgetExceeded: ["failed"],
    CancelRequested: ["canceled"]
  },
  running: {
    Claimed: ["running", "failed"],
    StageEnded: ["running", "evaluating", "succeeded"],
    HandedBack: ["running"],
    StageFailed: ["running", "failed"],
    BudgetExceeded: ["failed"],
    CancelRequested: ["canceled"]
  },
  evaluating: {
    Claimed: ["evaluating", "failed"],
    StageEnded: ["running", "succeeded"],
    HandedBack: ["evaluating"],
    StageFailed: ["evaluating", "failed"],
    BudgetExceeded: ["failed"],
    CancelRequested: ["canceled"]
  },
  succeeded: {},
  failed: { Retried: ["queued"] },
  canceled: { Retried: ["queued"] }
} as const satisfies Machine.Edges<RunStatus, RunEvent["_tag"]>

/** A watcher stops on these and on nothing else (service-api 4.6). */
export const isTerminal = (status: RunStatus): boolean =>
  status === "succeeded" || status === "failed" || status === "canceled"

/** A run's status while a stage of this kind is active (service-api 3.1). */
const statusDuring = {
  materialize: "validating",
  sft: "running",
  grpo: "running",
  eval: "evaluating",
  publish: "running"
} as const satisfies Record<StageKind, RunStatus>

/** Seconds to wait before a stage that has failed `attempts` times begins again; null when none is left. */
export const backoffSeconds = (attempts: number): number | null =>
  attempts < DistillLimits.stageAttemptsMax ? (DistillLimits.stageBackoffSeconds[attempts - 1] ?? 0) : null

/**
 * Wait after lost attempts, in milliseconds; null when no attempt is left. Runs lost together return at different times:
 * each run's share lies between half and one and a half of the pause.
 */
export const lostPauseMillis = (id: string, lostAttempts: number): number | null => {
  const seconds = DistillLimits.lostPauseSeconds[lostAttempts - 1]
  if (seconds === undefined) return null
  const share = 0.5 + SeededRandom.make(SeededRandom.seedOf(id))() / 2 ** 32
  return Math.round(seconds * share * 1_000)
}

const withStage = (run: Run, seq: number, change: (stage: RunStage) => RunStage): Run => ({
  ...run,
  stages: run.stages.map((stage) => (stage.seq === seq ? change(stage) : stage))
})

/** Begins an attempt of the stage and names the run after it. */
const begin = (run: Run, stage: RunStage, now: Millis): Run => {
  const begun = withStage(run, stage.seq, (row) => ({
    ...row,
    status: "running",
    attempt: row.attempt + 1,
    attemptsOfStart: row.attemptsOfStart + 1,
    startedAt: row.startedAt ?? now,
    error: null
  }))
  return { ...begun, status: statusDuring[stage.kind], startedAt: run.startedAt ?? now }
}

const end = (run: Run, status: "failed" | "canceled", error: Run["error"], now: Millis): Run => {
  const stage = currentStage(run)
  const ended =
    // A plan is refused before its first stage starts.
    stage.status !== "running" && !(status === "failed" && stage.status === "pending")
      ? run
      : withStage(run, stage.seq, (row) => ({
          ...row,
          status,
          finishedAt: now,
          error: error === null ? null : { code: error.code, message: error.message }
        }))
  return { ...ended, status, error, reservedMicros: 0, finishedAt: now }
}

const fail = (run: Run, code: string, message: string, now: Millis): Run =>
  end(run, "failed", { code, message, stage: currentStage(run).seq }, now)

/** The last worker died with the run: it neither ended the attempt nor handed the run back. */
const isLost = ({ dueAt, status }: Run): boolean => status !== "queued" && (dueAt ?? null) === null

/** A lost attempt does not count against the run, unless so many are lost that the run itself may be the reason. */
const loseAttempt = (run: Run, now: Millis): Run => {
  const { lostOfStart = 0, seq } = currentStage(run)
  const counted = withStage(run, seq, (row) => ({ ...row, lostOfStart: lostOfStart + 1 }))
  const pause = lostPauseMillis(run.id, lostOfStart + 1)
  if (pause === null) {
    return fail(counted, "worker_lost", `The server ended ${lostOfStart + 1} times while it worked on the stage`, now)
  }
  return pause === 0 ? begin(counted, currentStage(counted), now) : { ...counted, dueAt: now + pause }
}

const stageEnded = (run: Run, event: Extract<RunEvent, { _tag: "StageEnded" }>, now: Millis): Run => {
  const done = withStage({ ...run, reservedMicros: 0 }, currentStage(run).seq, (row) => ({
    ...row,
    status: event.outcome,
    result: event.result,
    checkpoint: null,
    finishedAt: now
  }))
  const next = done.stages.find((stage) => stage.status === "pending")
  return next === undefined
    ? { ...done, status: "succeeded", report: event.report, studentModel: event.studentModel, finishedAt: now }
    : begin(done, next, now)
}

/** An attempt that nothing went wrong in does not count against the run. */
const handedBack = (run: Run, now: Millis): Run =>
  withStage({ ...run, dueAt: now }, currentStage(run).seq, (row) => ({
    ...row,
    attemptsOfStart: Math.max(0, row.attemptsOfStart - 1)
  }))

const stageFailed = (run: Run, event: Extract<RunEvent, { _tag: "StageFailed" }>, now: Millis): Run => {
  const stage = currentStage(run)
  const { code, message, retryable } = event
  const wait = retryable ? backoffSeconds(stage.attemptsOfStart - (stage.lostOfStart ?? 0)) : null
  if (wait === null) return fail(run, code, message, now)
  const waiting = { ...run, reservedMicros: 0, dueAt: now + wait * 1_000 }
  return withStage(waiting, stage.seq, (row) => ({ ...row, error: { code, message } }))
}

/** A stage that was reached and had nothing to do is `skipped` too, and may have something to do next time. */
const isLeftOut = (stage: RunStage): boolean => stage.status === "skipped" && stage.attempt === 0

/**
 * A stopped stage resumes from its checkpoint; later stages' checkpoints and costs depend on results that will be made
 * anew.
 */
const setBack = (row: RunStage, checkpoint: RunStage["checkpoint"]): RunStage => ({
  ...row,
  status: "pending",
  attemptsOfStart: 0,
  lostOfStart: 0,
  startedAt: null,
  finishedAt: null,
  error: null,
  usage: checkpoint === null ? noUsage : row.usage,
  checkpoint,
  result: null
})

const retried = (run: Run, fromStage: number): Run => ({
  ...run,
  status: "queued",
  error: null,
  finishedAt: null,
  stages: run.stages.map((row) =>
    row.seq < fromStage || isLeftOut(row) ? row : setBack(row, row.seq === fromStage ? row.checkpoint : null)
  )
})

const apply = (run: Run, event: RunEvent, now: Millis): Run => {
  switch (event._tag) {
    case "Claimed":
      return begin(run, currentStage(run), now)
    case "StageEnded":
      return stageEnded(run, event, now)
    case "HandedBack":
      return handedBack(run, now)
    case "StageFailed":
      return stageFailed(run, event, now)
    case "BudgetExceeded":
      return fail(run, "budget_exceeded", "The next step would have passed budget.max_cost_usd", now)
    case "CancelRequested":
      return end(run, "canceled", null, now)
    case "PlanRefused":
      return fail(run, event.code, event.message, now)
    case "Retried":
      return retried(run, event.fromStage)
  }
}

const machine = Machine.make<RunStatus, Run, RunEvent>({
  name: "run",
  edges,
  apply: (run, event, now) => {
    // Only what just happened says when the run is due again.
    const held = { ...run, dueAt: null }
    return event._tag === "Claimed" && isLost(run) ? loseAttempt(held, now) : apply(held, event, now)
  }
})

/** Fails where no edge leads from the run's status by such an event. */
export const check = machine.check

/** Pure: no clock, no id, no storage. `now` comes from the caller, in milliseconds. */
export const transition = (run: Run, event: RunEvent, now: Millis): Result.Result<Run, Machine.InvalidTransition> =>
  machine.transition(run, event, now)
