/** A run as its GET shows it (service-api 2.5, contract 5), and the types of the events that a change of it publishes. */
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import { currentStage, type Run, type RunStage } from "./Run.ts"

const renderStage = (stage: RunStage) => ({
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
})

const made = ({ livemode }: Partition, run: Run) => {
  const current = currentStage(run)
  return {
    id: run.id,
    object: "distill_run" as const,
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
      cost_usd: toUsd(run.totals.costMicros)
    },
    budget: { max_cost_usd: toUsd(run.budgetMicros) },
    executor: run.executor,
    warnings: run.warnings ?? [],
    report: run.report,
    student_model: run.studentModel,
    loop: run.loop,
    current_stage: { seq: current.seq, kind: current.kind, status: current.status },
    stages: run.stages.map(renderStage),
    error: run.error,
    created_at: toIso(run.createdAt),
    updated_at: toIso(run.updatedAt),
    started_at: toIsoOrNull(run.startedAt),
    finished_at: toIsoOrNull(run.finishedAt)
  }
}
export type RunResource = ReturnType<typeof made>

export const render = Rendered.once(made)

/** The types of the events of a move from `before` to `after`, in order; `before` is null for a new run. */
export const eventTypesOf = (before: Run | null, after: Run): ReadonlyArray<string> => {
  if (before === null) return ["distill.run.created"]
  const types: Array<string> = []
  if (before.status === "queued" && after.status !== "queued" && after.status !== "canceled") {
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
