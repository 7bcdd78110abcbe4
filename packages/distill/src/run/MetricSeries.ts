/** Metric series in responses: grouped, and thinned without losing peaks (contract 5). */
import { toIso } from "@limbeck/core/time/Timestamp"
import { DistillLimits } from "../Limits.ts"
import type { MetricPoint } from "./RunRecords.ts"

/** At most `max` points: the lowest and the highest of each bucket, in their order; the first and the last are kept. */
export const thin = <P extends { readonly value: number }>(points: ReadonlyArray<P>, max: number): ReadonlyArray<P> => {
  if (points.length <= max) return points
  const inner = points.slice(1, -1)
  const buckets = Math.floor((max - 2) / 2)
  const kept = Array.from({ length: buckets }, (_, index) => {
    const from = Math.floor((index * inner.length) / buckets)
    const bucket = inner.slice(from, Math.floor(((index + 1) * inner.length) / buckets))
    const low = bucket.reduce((a, b) => (b.value < a.value ? b : a))
    const high = bucket.reduce((a, b) => (b.value > a.value ? b : a))
    if (low === high) return [low]
    return bucket.indexOf(low) < bucket.indexOf(high) ? [low, high] : [high, low]
  })
  return [points[0]!, ...kept.flat(), points.at(-1)!]
}

/** Keeps only the latest point of a step repeated after a crash or a retry. */
const lastOfEach = (points: ReadonlyArray<MetricPoint>): ReadonlyArray<MetricPoint> => [
  ...new Map(points.map((point) => [point.step, point])).values()
]

export const render = (run: string, points: ReadonlyArray<MetricPoint>) => {
  const series = Map.groupBy(points, (point) => JSON.stringify([point.stage, point.name]))
  return {
    object: "run_metrics" as const,
    run,
    series: [...series.values()].map(lastOfEach).map((all) => ({
      stage: all[0]!.stage,
      name: all[0]!.name,
      unit: all[0]!.unit,
      points: thin(all, DistillLimits.metricPointsMax).map(({ at, step, value }) => ({ step, value, at: toIso(at) })),
      total_points: all.length
    })),
    max_points: DistillLimits.metricPointsMax
  }
}
