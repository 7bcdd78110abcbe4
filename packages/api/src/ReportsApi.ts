/** Reports (contract 5, 14.24). */
import { Evaluation } from "@limbeck/distill/report/Evaluation"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { listOf, listQuery, Nullable, Timestamp } from "./Common.ts"
import { operation, readErrors } from "./Operation.ts"

export const Report = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("distill_report"),
  livemode: Schema.Boolean,
  status: Schema.Literal("ready"),
  run: Schema.String,
  dry_run: Schema.Boolean,
  student_model: Nullable(Schema.String),
  summary: Schema.String,
  evaluated_rows: Schema.Int,
  rewards: Evaluation.fields.rewards,
  accuracy: Nullable(Evaluation.fields.accuracy),
  calibration: Evaluation.fields.calibration,
  latency_ms: Nullable(Evaluation.fields.latency_ms),
  cost_per_1000_calls_usd: Nullable(Evaluation.fields.cost_per_1000_calls_usd),
  worst_examples: Evaluation.fields.worst_examples,
  totals: Schema.Struct({ gpu_seconds: Schema.Finite, judge_tokens: Schema.Int, cost_usd: Schema.Finite }),
  estimate: Nullable(
    Schema.Struct({
      gpu_seconds: Schema.Finite,
      cost_usd: Schema.Finite,
      actual_gpu_seconds: Schema.Finite,
      actual_cost_usd: Schema.Finite,
      ratio: Nullable(Schema.Finite)
    })
  ),
  provenance: Schema.Struct({
    dataset_version: Schema.String,
    content_sha256: Nullable(Schema.String),
    plan_hash: Schema.String,
    recipe: Schema.JsonObject,
    executor: Schema.String,
    artifact_sha256: Nullable(Schema.String)
  }),
  created_at: Timestamp
}).annotate({ identifier: "Report" })

const read = { access: "distill:read", workflowStage: "report" } as const

export class ReportsApi extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/reports", {
      query: listQuery,
      success: listOf(Report),
      error: readErrors
    }).annotateMerge(operation("listReports", "Reports, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/reports/:report_id", {
      params: { report_id: Schema.String },
      success: Report,
      error: readErrors
    }).annotateMerge(operation("getReport", "What a run found out", read))
  ) {}
