/** Counts stored calls, their tokens and their cost for metrics, by source, model and who answered. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { CapturedCall } from "../../call/CapturedCall.ts"
import { CaptureLimits } from "../../Limits.ts"

const calls = Metric.counter("limbeck_calls_total", { description: "Captured calls in storage", incremental: true })
const tokens = Metric.counter("limbeck_call_tokens_total", {
  description: "Tokens that upstreams counted, by direction",
  incremental: true
})
const cost = Metric.counter("limbeck_call_cost_usd_total", {
  description: "Cost of calls with a known price, in US dollars",
  incremental: true
})
const unpriced = Metric.counter("limbeck_calls_unpriced_total", {
  description: "Succeeded calls of an upstream without a known price",
  incremental: true
})

/** The label for missing values, and for values beyond the limit. */
const [none, other] = ["none", "other"]

/** Callers choose source and model names: only the first names get their own series, to bound the number of series. */
const makeLabels = () => {
  const known = new Set<string>()
  return ({ model, source, sourceName }: CapturedCall): { readonly source: string; readonly model: string } => {
    const labels = { source: sourceName ?? source ?? none, model: model ?? none }
    const key = JSON.stringify(labels)
    if (!known.has(key) && known.size >= CaptureLimits.meteredModelsMax) return { source: other, model: other }
    known.add(key)
    return labels
  }
}

const microsOfUsd = 1e6

type Counter = typeof calls

/** The series of one combination of labels. Creating a metric computes its key, so each metric is created once. */
const seriesOf = (by: Readonly<Record<string, string>>, outcome: string) => {
  const own = (counter: Counter, more: Readonly<Record<string, string>> = {}) =>
    Metric.withAttributes(counter, { ...by, ...more })
  return {
    calls: own(calls, { outcome }),
    input: own(tokens, { direction: "input" }),
    output: own(tokens, { direction: "output" }),
    cost: own(cost),
    unpriced: own(unpriced)
  }
}

/** Counts calls that were stored now. */
export const make = () => {
  const labelsOf = makeLabels()
  const made = new Map<string, ReturnType<typeof seriesOf>>()
  const seriesFor = (call: CapturedCall) => {
    const by = { ...labelsOf(call), served_by: call.servedBy }
    const key = JSON.stringify([by, call.outcome])
    const series = made.get(key) ?? seriesOf(by, call.outcome)
    made.set(key, series)
    return series
  }
  const count = (call: CapturedCall) => {
    const series = seriesFor(call)
    const { costMicros, outcome, servedBy, studentMicros = 0, usage } = call
    const isUnpriced = costMicros === null && outcome === "succeeded" && servedBy.startsWith("upstream")
    return Effect.all([
      Metric.update(series.calls, 1),
      Metric.update(series.input, usage?.inputTokens ?? 0),
      Metric.update(series.output, usage?.outputTokens ?? 0),
      Metric.update(series.cost, ((costMicros ?? 0) + studentMicros) / microsOfUsd),
      Metric.update(series.unpriced, isUnpriced ? 1 : 0)
    ])
  }
  return (stored: ReadonlyArray<CapturedCall>): Effect.Effect<void> => Effect.forEach(stored, count, { discard: true })
}
