/** Runs (service-api 2.5, 4; contract 5). */

import { DistillLimits } from "@limbeck/distill/Limits"
import { canonicalOrder, Recipe } from "@limbeck/distill/recipe/Recipe"
import { RunStatus } from "@limbeck/distill/run/Run"
import { RunLogsResource as RunLogs, RunMetricsResource as RunMetrics } from "@limbeck/distill/run/RunRecordsResource"
import { RunResource as Run, RunStageResource as RunStage } from "@limbeck/distill/run/RunResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import {
  asCreated,
  Dollars,
  documentRule,
  Flag,
  idOf,
  limitUpTo,
  listOf,
  listQuery,
  Name,
  NoFields,
  Reference,
  referenceTo,
  Sha256
} from "../contract/Common.ts"
import { about, at, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Run, RunLogs, RunMetrics, RunStage }

export const Budget = Schema.Struct({ max_cost_usd: Dollars })

/** A request with one of two texts and without the other. A null member counts as absent. */
const without = (one: string, other: string) => {
  const present = (name: string) => ({ required: [name], properties: { [name]: { type: "string" } } })
  return { ...present(one), not: present(other) }
}

export const RunCreate = Schema.Struct({
  dataset_version: referenceTo("dsv"),
  student_model_name: Schema.optionalKey(Name),
  name: Schema.optionalKey(Name),
  recipe: Recipe,
  budget: Budget,
  compute: Schema.optionalKey(Schema.Struct({ profile: Schema.optionalKey(Reference) })),
  dry_run: Schema.optionalKey(Schema.Boolean),
  loop: Schema.optionalKey(referenceTo("loop")),
  validated_dry_run: Schema.optionalKey(referenceTo("run")),
  plan_hash: Schema.optionalKey(Sha256("a plan hash is 64 hexadecimal characters"))
})
  .check(
    documentRule({
      not: { anyOf: [without("validated_dry_run", "plan_hash"), without("plan_hash", "validated_dry_run")] }
    })
  )
  .annotate({ identifier: "RunCreate" })

export const RunRetry = Schema.Struct({
  from_stage: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: canonicalOrder.length }))),
  budget: Schema.optionalKey(Budget)
}).annotate({ identifier: "RunRetry" })

const params = { run_id: idOf("run") }
const terminalStates = ["succeeded", "failed", "canceled"]
const recovery = "Keep the run id and poll GET /v1/distill/runs/{run_id}; a time-out is not an end."

export class RunsApi extends HttpApiGroup.make("runs")
  .add(
    HttpApiEndpoint.post("create", "/v1/distill/runs", {
      payload: RunCreate,
      success: asCreated(Run),
      error: [...writeErrors, at(402)]
    }).annotateMerge(
      operation("createRun", "Rehearse a recipe, or run it live under a hard budget", {
        access: "distill:write",
        idempotency: "required",
        workflowStage: "run",
        prerequisites: [
          "a ready dataset version with rows",
          "for a proven live run: a succeeded dry run of the same plan"
        ],
        terminalStates,
        recovery
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/runs", {
      query: {
        ...listQuery,
        status: Schema.optionalKey(RunStatus),
        dry_run: Schema.optionalKey(Flag),
        dataset_version: Schema.optionalKey(Schema.NonEmptyString)
      },
      success: listOf(Run),
      error: readErrors
    }).annotateMerge(operation("listRuns", "Runs, newest first", { access: "distill:read", workflowStage: "run" }))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/runs/:run_id", { params, success: Run, error: readErrors }).annotateMerge(
      operation("getRun", "The source of truth of a run", {
        access: "distill:read",
        workflowStage: "run",
        terminalStates,
        recovery
      })
    )
  )
  .add(
    HttpApiEndpoint.get("metrics", "/v1/distill/runs/:run_id/metrics", {
      params,
      success: RunMetrics,
      error: readErrors
    }).annotateMerge(
      operation("getRunMetrics", "Metric series, thinned", { access: "distill:read", workflowStage: "run" })
    )
  )
  .add(
    HttpApiEndpoint.get("logs", "/v1/distill/runs/:run_id/logs", {
      params,
      query: {
        stage: Schema.optionalKey(Schema.Literals(canonicalOrder.map((_, index) => `${index + 1}`))),
        after: Schema.optionalKey(
          Schema.String.check(Schema.isPattern(/^\d{1,15}$/u, { message: "after is a next_after" }))
        ),
        limit: Schema.optionalKey(limitUpTo(DistillLimits.logLinesMax, DistillLimits.logLinesDefault))
      },
      success: RunLogs,
      error: readErrors
    }).annotateMerge(
      operation("getRunLogs", "A window of sanitized log lines", { access: "distill:read", workflowStage: "run" })
    )
  )
  .add(
    HttpApiEndpoint.post("cancel", "/v1/distill/runs/:run_id/cancel", {
      params,
      payload: NoFields,
      success: Run,
      error: writeErrors
    }).annotateMerge(
      operation("cancelRun", "End a run that has not ended", {
        access: "distill:write",
        idempotency: "supported",
        bodyOptional: true,
        workflowStage: "run"
      })
    )
  )
  .add(
    HttpApiEndpoint.post("retry", "/v1/distill/runs/:run_id/retry", {
      params,
      payload: RunRetry,
      success: Run,
      error: [...writeErrors, at(402)]
    }).annotateMerge(
      operation("retryRun", "Queue a failed or canceled run again; may spend again", {
        access: "distill:write",
        idempotency: "supported",
        bodyOptional: true,
        workflowStage: "run",
        prerequisites: ["a failed or canceled run", "fresh approval by the caller's process"],
        terminalStates,
        recovery
      })
    )
  )
  .annotateMerge(about("Distillation runs: rehearsed, live, followed, canceled and retried.")) {}

/** Streams a run; the connection stays open, so it has its own route. */
export class RunStreamApi extends HttpApiGroup.make("run_stream")
  .add(
    HttpApiEndpoint.get("stream", "/v1/distill/runs/:run_id/stream", {
      params,
      headers: {
        "Last-Event-ID": Schema.optionalKey(
          Schema.String.check(documentRule({ pattern: "^[0-9]{1,15}$" })).annotate({
            description: "The id of the last event that was seen: resume after it"
          })
        )
      },
      success: Schema.String.annotate({
        description:
          "Events state (the run, whenever its status or a stage's changes), metric and log, as they come; ids count from 1."
      }).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: readErrors
    }).annotateMerge(
      operation("streamRun", "Server-sent events of a run until it has ended, resumable", {
        access: "distill:read",
        workflowStage: "run",
        terminalStates,
        recovery: "Connect again with Last-Event-ID: nothing is lost or told twice. Stop on a terminal state."
      })
    )
  )
  .annotateMerge(about("A run as server-sent events.")) {}
