/** A run: one execution of a recipe on a version, under a budget, and the facts we keep about it (service-api 2.5). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { DatasetVersionId } from "../dataset/DatasetVersion.ts"
import * as LoopLabel from "../loop/LoopLabel.ts"
import { StageKind } from "../recipe/Recipe.ts"
import * as BlobLabel from "../retention/internal/BlobLabel.ts"

export const RunId = Id.schema("run")
export type RunId = typeof RunId.Type
export const ReportId = Id.schema("rpt")
export type ReportId = typeof ReportId.Type
export const StudentModelId = Id.schema("stu")
export type StudentModelId = typeof StudentModelId.Type

export const RunStatus = Schema.Literals([
  "queued",
  "validating",
  "running",
  "evaluating",
  "succeeded",
  "failed",
  "canceled"
])
export type RunStatus = typeof RunStatus.Type

export const StageStatus = Schema.Literals(["pending", "running", "succeeded", "failed", "canceled", "skipped"])
export type StageStatus = typeof StageStatus.Type

const Failure = Schema.Struct({ code: Schema.String, message: Schema.String })

/**
 * Usage: seconds of an accelerator, or of the machine without one, tokens of judges, and the cost of an external student
 * and of candidates, in micro-dollars.
 */
export const Usage = Schema.Struct({
  gpuSeconds: Schema.Finite,
  judgeTokens: Schema.Int,
  studentMicros: Schema.optionalKey(Schema.Int),
  /** Of candidates: tokens, and their cost in micro-dollars. Absent: none was asked. */
  candidateTokens: Schema.optionalKey(Schema.Int),
  candidateMicros: Schema.optionalKey(Schema.Int)
})
export type Usage = typeof Usage.Type

export const RunStage = Schema.Struct({
  /** 1 to 5, in canonical order. */
  seq: Schema.Int,
  kind: StageKind,
  status: StageStatus,
  /** Attempts begun, in all starts; and those of this start or retry. */
  attempt: Schema.Int,
  attemptsOfStart: Schema.Int,
  /** Attempts of this start that were lost with their worker, and do not count against the run; absent: none. */
  lostOfStart: Schema.optionalKey(Schema.Int),
  config: Schema.JsonObject,
  startedAt: Schema.NullOr(Millis),
  finishedAt: Schema.NullOr(Millis),
  /** The last value of each metric. */
  metrics: Schema.Record(Schema.String, Schema.Finite),
  error: Schema.NullOr(Failure),
  hasLogs: Schema.Boolean,
  /** Total usage since its beginning, over all attempts. */
  usage: Usage,
  /** The state from which a new attempt resumes, with the stage's usage there. */
  checkpoint: Schema.NullOr(Schema.Struct({ state: Schema.Json, usage: Usage })),
  /** What the next stage starts from. */
  result: Schema.NullOr(Schema.Json)
})
export type RunStage = typeof RunStage.Type

const Totals = Schema.Struct({ ...Usage.fields, costMicros: Schema.Int })

/** The ledger's figures of a live run since its last start: at creation, or by a retry. */
const Billing = Schema.Struct({
  /** 1 at creation; each retry is the next. */
  start: Schema.Int,
  /** Of the balance, in micro-dollars. */
  heldMicros: Schema.Int,
  /** Its totals then, which were charged before. */
  before: Totals
})
export type Billing = typeof Billing.Type

export const Run = Schema.Struct({
  id: RunId,
  name: Schema.NullOr(Schema.String),
  studentModelName: Schema.NullOr(Schema.String),
  status: RunStatus,
  dryRun: Schema.Boolean,
  datasetVersion: DatasetVersionId,
  /** As the caller sent it. */
  recipe: Schema.JsonObject,
  planHash: Schema.String,
  validatedDryRun: Schema.NullOr(RunId),
  compute: Schema.Struct({
    profile: Schema.String,
    machine: Schema.NullOr(Schema.String),
    spot: Schema.Boolean,
    gpu: Schema.NullOr(Schema.String)
  }),
  /** Whole micro-dollars. */
  budgetMicros: Schema.Int,
  /** The prices at the run's creation. */
  prices: Schema.Struct({ microsPerGpuSecond: Schema.Finite, microsPerMillionJudgeTokens: Schema.Finite }),
  totals: Totals,
  /** Absent in rehearsals, and in runs from before the ledger. */
  billing: Schema.optionalKey(Billing),
  /** The estimate; null without knowledge of the rows. */
  estimate: Schema.NullOr(Schema.Struct({ gpuSeconds: Schema.Finite, costMicros: Schema.Int })),
  /** Kept for what the running stage is about to spend; with the totals never above the budget. */
  reservedMicros: Schema.Int,
  executor: Schema.String,
  /** Of a rehearsal: why the live run of its plan would be refused, or might not come to its end, for a person. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  report: Schema.NullOr(ReportId),
  studentModel: Schema.NullOr(StudentModelId),
  loop: Schema.NullOr(Schema.String),
  /** The deployment whose student is trained again; absent in other runs. */
  retrains: Schema.optionalKey(Schema.String),
  /** Its version is being built: until then there is no plan. */
  awaitsVersion: Schema.optionalKey(Schema.Literal(true)),
  stages: Schema.Array(RunStage),
  /** When an unclaimed run can be claimed again; null while claimed, or absent in older runs. */
  dueAt: Schema.optionalKey(Schema.NullOr(Millis)),
  error: Schema.NullOr(Schema.Struct({ ...Failure.fields, stage: Schema.Int })),
  /** Of the request that made it; absent where that was not traced. */
  traceparent: Schema.optionalKey(Schema.String),
  createdAt: Millis,
  startedAt: Schema.NullOr(Millis),
  finishedAt: Schema.NullOr(Millis),
  updatedAt: Millis
})
export type Run = typeof Run.Type

/** The label of the runs that have no plan before this version is ready. */
export const awaitingLabel = (version: string): string => `awaits_version:${version}`

export const kind = Kind.make({
  name: "distill_run",
  noun: "run",
  schema: Run,
  labels: (run) => [
    `status:${run.status}`,
    `dry_run:${run.dryRun}`,
    `dataset_version:${run.datasetVersion}`,
    ...(run.awaitsVersion === undefined ? [] : [awaitingLabel(run.datasetVersion)]),
    ...LoopLabel.labels(run.loop),
    ...BlobLabel.labels(BlobLabel.digestsIn(run.stages.map(({ checkpoint, result }) => [checkpoint?.state, result])))
  ]
})

/** The queue topic on which runs wait for a worker. */
export const topic = "run"

/** The queue topic of runs whose version may have been built: `RunPlanning` plans them. */
export const planTopic = "run_plan"

/** The queue topic of succeeded runs whose student is a deployment's new challenger. */
export const challengerTopic = "run_challenger"

/** The stage that is running; else the first that is pending; else the last that was reached. */
export const currentStage = (run: Run): RunStage => {
  const running = run.stages.find((stage) => stage.status === "running")
  // A row that a retry set back has attempts behind it, and was not reached again.
  const reached = run.stages.findLast((stage) => stage.attempt > 0 && stage.status !== "pending")
  const pending = run.stages.find((stage) => stage.status === "pending")
  const open = run.status === "queued" ? pending : undefined
  return running ?? open ?? reached ?? run.stages[0]!
}
