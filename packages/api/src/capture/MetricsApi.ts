/** Metrics of captured calls over time (contract 16.48). */
import { CaptureLimits } from "@limbeck/capture/Limits"
import { MetricInterval } from "@limbeck/capture/metrics/CallMetrics"
import { MetricResource as CallMetrics } from "@limbeck/capture/metrics/MetricResource"
import { MetricGroup } from "@limbeck/capture/metrics/MetricRules"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Instant } from "../contract/Common.ts"
import { about, operation, readErrors } from "../contract/Operation.ts"

export { CallMetrics }

export const CallMetricsList = Schema.Struct({
  object: Schema.Literal("list"),
  data: Schema.Array(CallMetrics),
  has_more: Schema.Literal(false)
}).annotate({ identifier: "CallMetricsList" })

export class MetricsApi extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/metrics", {
      query: {
        from: Instant,
        to: Instant,
        interval: MetricInterval,
        group_by: Schema.optionalKey(MetricGroup),
        deployment: Schema.optionalKey(Schema.String.annotate({ description: "Its id: counts its calls alone" }))
      },
      success: CallMetricsList,
      error: readErrors
    }).annotateMerge(
      operation("getMetrics", "Calls, tokens, cost, savings and latency by hour or day, oldest first", {
        access: "distill:read",
        workflowStage: "data"
      })
    )
  )
  .annotateMerge(
    about(
      "Captured calls over time, counted as they are stored. Hours are kept for " +
        `${CaptureLimits.metricHoursKeptDays} days, days for ${CaptureLimits.metricDaysKeptDays}; older ones have no rows.`
    )
  ) {}
