/** The route of metrics (contract 16.48). */
import { MetricsApi } from "@limbeck/api/MetricsApi"
import { CallMetrics } from "@limbeck/capture/metrics/CallMetrics"
import { render } from "@limbeck/capture/metrics/MetricResource"
import * as Effect from "effect/Effect"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

export const make: Effect.Effect<Handlers<typeof MetricsApi>, never, CallMetrics> = Effect.map(CallMetrics, (metrics) =>
  handlersOf(MetricsApi)({
    list: ({ caller: { partition }, query: { deployment, from, group_by, interval, to } }) =>
      Effect.map(metrics.over(partition, { from, to, interval, groupBy: group_by, deployment }), ({ costs, rows }) => ({
        object: "list" as const,
        data: rows.map((row) => render(row, costs)),
        has_more: false as const
      }))
  })
)
