/** Metric series: grouped, and thinned without losing peaks (contract 5). */
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

/** The points of each stage and name. */
export const seriesOf = (points: ReadonlyArray<MetricPoint>): ReadonlyArray<ReadonlyArray<MetricPoint>> =>
  [...Map.groupBy(points, (point) => JSON.stringify([point.stage, point.name])).values()].map(lastOfEach)
