/** The metrics and the log lines of a run as the API shows them (contract 5). */
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"
import { seriesOf, thin } from "./MetricSeries.ts"
import type { MetricPoint, StoredLogLine } from "./RunRecords.ts"

export const RunMetricsResource = Schema.Struct({
  object: Schema.Literal("run_metrics"),
  run: idOf("run"),
  series: Schema.Array(
    Schema.Struct({
      stage: Schema.Int,
      name: Schema.String,
      unit: Schema.String,
      points: Schema.Array(Schema.Struct({ step: Schema.Finite, value: Schema.Finite, at: Timestamp })),
      total_points: Count
    })
  ),
  max_points: Count
}).annotate({ identifier: "RunMetrics" })

export const RunLogsResource = Schema.Struct({
  object: Schema.Literal("run_logs"),
  run: idOf("run"),
  stage: Schema.NullOr(Schema.Int),
  data: Schema.Array(Schema.Struct({ seq: Schema.Int, at: Timestamp, level: Schema.String, message: Schema.String })),
  next_after: Schema.NullOr(Schema.String),
  has_more: Schema.Boolean
}).annotate({ identifier: "RunLogs" })

export const renderMetrics = Rendered.by(RunMetricsResource, (run: string, points: ReadonlyArray<MetricPoint>) => ({
  object: "run_metrics",
  run,
  series: seriesOf(points).map((all) => ({
    stage: all[0]!.stage,
    name: all[0]!.name,
    unit: all[0]!.unit,
    points: thin(all, DistillLimits.metricPointsMax).map(({ at, step, value }) => ({ step, value, at: toIso(at) })),
    total_points: all.length
  })),
  max_points: DistillLimits.metricPointsMax
}))

/** A window of log lines: up to `limit` of the `lines` after the line `after`, of one stage or of all. */
interface LogWindow {
  readonly stage: number | null
  readonly after: number
  readonly limit: number
  readonly lines: ReadonlyArray<StoredLogLine>
}

export const renderLogs = Rendered.by(RunLogsResource, (run: string, { after, limit, lines, stage }: LogWindow) => {
  const shown = lines.slice(0, limit)
  return {
    object: "run_logs",
    run,
    stage,
    data: shown.map(({ at, level, message, seq }) => ({ seq, at: toIso(at), level, message })),
    next_after: String(shown.at(-1)?.seq ?? after),
    has_more: lines.length > limit
  }
})
