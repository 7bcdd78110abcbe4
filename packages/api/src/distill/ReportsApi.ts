/** Reports (contract 5, 14.24). */

import { DistillLimits } from "@limbeck/distill/Limits"
import { ReportResource as Report } from "@limbeck/distill/report/ReportResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { idOf, listOf, listQuery, Timestamp, UrlShown } from "../contract/Common.ts"
import { about, at, operation, publicErrors, readErrors, writeErrors } from "../contract/Operation.ts"

export { Report }

export const ReportShareRequest = Schema.Struct({
  expires_in_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: DistillLimits.shareSecondsMax })).annotate({
      default: DistillLimits.shareSecondsDefault
    })
  )
}).annotate({ identifier: "ReportShareRequest" })

export const ReportShare = Schema.Struct({
  url: UrlShown,
  token: Schema.String,
  expires_at: Timestamp
}).annotate({ identifier: "ReportShare" })

export const ReportShareDeleted = Schema.Struct({
  /** The report's. */
  id: idOf("rpt"),
  object: Schema.Literal("distill_report_share"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "ReportShareDeleted" })

const params = { report_id: idOf("rpt") }
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
      params,
      success: Report,
      error: readErrors
    }).annotateMerge(operation("getReport", "What a run found out", read))
  )
  .add(
    HttpApiEndpoint.post("share", "/v1/distill/reports/:report_id/share", {
      params,
      payload: ReportShareRequest,
      success: ReportShare,
      error: writeErrors
    }).annotateMerge(
      operation("shareReport", "A link that shows the report without a token; it replaces the one before", {
        access: "distill:write",
        idempotency: "supported",
        secret: true,
        bodyOptional: true,
        workflowStage: "report"
      })
    )
  )
  .add(
    HttpApiEndpoint.delete("unshare", "/v1/distill/reports/:report_id/share", {
      params,
      success: ReportShareDeleted,
      error: readErrors
    }).annotateMerge(
      operation("unshareReport", "Revoke the link at once", { access: "distill:write", workflowStage: "report" })
    )
  )
  .annotateMerge(about("What runs found out, and links that share it.")) {}

/** What a link shows. The token in the path is the authority. */
export class SharedReportsApi extends HttpApiGroup.make("shared_reports")
  .add(
    HttpApiEndpoint.get("get", "/v1/shared/reports/:share_token", {
      params: { share_token: Schema.String },
      success: [Report, Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))],
      error: [...publicErrors, at(404), at(410)]
    }).annotateMerge(
      operation("getSharedReport", "A shared report: JSON, or a page for Accept: text/html", {
        access: "public",
        workflowStage: "report"
      })
    )
  )
  .annotateMerge(about("A report by its link, without a token.")) {}
