/** A run in the API and in events (service-api 2.5, contract 5), and the types of the events that a change of it publishes. */
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, Digest, Dollars, idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { currentStage, Run, RunStage } from "./Run.ts"

export const RunStageResource = Schema.Struct({
  seq: Schema.Int,
  kind: Schema.String,
  status: RunStage.fields.status,
  attempt: Count,
  config: Schema.JsonObject,
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp),
  metrics: RunStage.fields.metrics,
  error: RunStage.fields.error,
  logs_available: Schema.Boolean
}).annotate({ identifier: "RunStage" })

export const RunResource = Schema.Struct({
  id: idOf("run"),
  object: Schema.Literal("distill_run"),
  livemode: Schema.Boolean,
  name: Schema.NullOr(Schema.String),
  status: Run.fields.status,
  dry_run: Schema.Boolean,
  dataset_version: idOf("dsv"),
  student_model_name: Schema.NullOr(Schema.String),
  recipe: Schema.JsonObject,
  plan_hash: Digest,
  validated_dry_run: Schema.NullOr(idOf("run")),
  compute: Run.fields.compute,
  totals: Schema.Struct({
    gpu_seconds: Schema.Finite,
    judge_tokens: Count,
    candidate_tokens: Count,
    cost_usd: Schema.Finite
  }),
  budget: Schema.Struct({ max_cost_usd: Dollars }),
  executor: Schema.String,
  warnings: Schema.Array(Schema.String),
  report: Schema.NullOr(idOf("rpt")),
  student_model: Schema.NullOr(Schema.String),
  loop: Schema.NullOr(idOf("loop")),
  retrains: Schema.NullOr(idOf("dep")),
  current_stage: Schema.Struct({ seq: Schema.Int, kind: Schema.String, status: RunStage.fields.status }),
  stages: Schema.Array(RunStageResource),
  error: Run.fields.error,
  created_at: Timestamp,
  updated_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Run" })
export type RunResource = typeof RunResource.Type

const renderStage = Rendered.by(RunStageResource, (stage: RunStage) => ({
  seq: stage.seq,
  kind: stage.kind,
  status: stage.status,
  attempt: stage.attempt,
  config: stage.config,
  started_at: toIsoOrNull(stage.startedAt),
  finished_at: toIsoOrNull(stage.finishedAt),
  metrics: stage.metrics,
  error: stage.error,
  logs_available: stage.hasLogs
}))

const made = Rendered.by(RunResource, ({ livemode }: Partition, run: Run) => {
  const current = currentStage(run)
  return {
    id: run.id,
    object: "distill_run",
    livemode,
    name: run.name,
    status: run.status,
    dry_run: run.dryRun,
    dataset_version: run.datasetVersion,
    student_model_name: run.studentModelName,
    recipe: run.recipe,
    plan_hash: run.planHash,
    validated_dry_run: run.validatedDryRun,
    compute: run.compute,
    totals: {
      gpu_seconds: run.totals.gpuSeconds,
      judge_tokens: run.totals.judgeTokens,
      candidate_tokens: run.totals.candidateTokens ?? 0,
      cost_usd: toUsd(run.totals.costMicros)
    },
    budget: { max_cost_usd: toUsd(run.budgetMicros) },
    executor: run.executor,
    warnings: run.warnings ?? [],
    report: run.report,
    student_model: run.studentModel,
    loop: run.loop,
    retrains: run.retrains ?? null,
    current_stage: { seq: current.seq, kind: current.kind, status: current.status },
    stages: run.stages.map(renderStage),
    error: run.error,
    created_at: toIso(run.createdAt),
    updated_at: toIso(run.updatedAt),
    started_at: toIsoOrNull(run.startedAt),
    finished_at: toIsoOrNull(run.finishedAt)
  }
})

export const render = Rendered.memoize(made)

/** The types of the events of a move from `before` to `after`, in order; `before` is null for a new run. */
export const eventTypesOf = (before: Run | null, after: Run): ReadonlyArray<string> => {
  if (before === null) return ["distill.run.created"]
  const types: Array<string> = []
  const isStarted = after.status !== "queued" && after.status !== "canceled" && after.status !== "failed"
  if (before.status === "queued" && isStarted) {
    types.push("distill.run.started")
  }
  const ended = after.stages.some(
    (stage, index) => stage.status === "succeeded" && before.stages[index]?.status === "running"
  )
  if (ended) types.push("distill.run.stage_succeeded")
  if (before.status === after.status) return types
  if (after.status === "queued") types.push("distill.run.retried")
  if (after.status === "failed" || after.status === "canceled" || after.status === "succeeded") {
    types.push(`distill.run.${after.status}`)
  }
  return types
}
