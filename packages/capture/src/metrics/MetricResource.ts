/** Metrics of calls as the API shows them (contract 16.48). */
import { toUsd } from "@limbeck/core/money/Money"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { type Estimate, type Metrics, percentileOf, savedMicros, type UpstreamCosts } from "./MetricRules.ts"

export const MetricResource = Schema.Struct({
  start: Timestamp,
  group: Schema.NullOr(Schema.String).annotate({
    description: "Of a source, its id. Null without `group_by`, and for calls without a value, such as a source"
  }),
  calls: Count,
  failed: Count,
  input_tokens: Count,
  output_tokens: Count,
  cost_usd: Schema.NullOr(Schema.Finite).annotate({
    description: "Of the calls with a known cost; null: no call has one"
  }),
  unpriced_calls: Count.annotate({
    description: "Calls of an upstream without a known cost; neither failed calls nor those of a student"
  }),
  saved_usd: Schema.NullOr(Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite })).annotate({
    description:
      "What the calls that a student answered would have cost at the mean cost of its deployment's priced upstream " +
      "answers, of all time, with a 95 % prediction interval, less what students have paid for embeddings; null without such calls, or with fewer than two such answers"
  }),
  latency_ms: Schema.NullOr(Schema.Struct({ p50: Count, p95: Count })).annotate({
    description: "Of succeeded calls, to within a fifth; null without one"
  })
}).annotate({ identifier: "CallMetrics" })

const usd = (micros: number) => toUsd(Math.round(micros))

const renderSaved = (saved: Estimate | null) =>
  saved === null ? null : { value: usd(saved.value), low: usd(saved.low), high: usd(saved.high) }

const renderLatency = (latencies: Metrics["tally"]["latencies"]) => {
  const [p50, p95] = [percentileOf(latencies, 50), percentileOf(latencies, 95)]
  return p50 === null || p95 === null ? null : { p50, p95 }
}

export const render = Rendered.by(
  MetricResource,
  ({ group, startsAt, studentCalls, tally }: Metrics, costs: UpstreamCosts) => ({
    start: toIso(startsAt),
    group,
    calls: tally.calls,
    failed: tally.failed,
    input_tokens: tally.inputTokens,
    output_tokens: tally.outputTokens,
    cost_usd:
      tally.pricedCalls === 0 && tally.studentMicros === 0 ? null : toUsd(tally.costMicros + tally.studentMicros),
    unpriced_calls: tally.unpricedCalls,
    saved_usd: renderSaved(savedMicros(studentCalls, costs)),
    latency_ms: renderLatency(tally.latencies)
  })
)
