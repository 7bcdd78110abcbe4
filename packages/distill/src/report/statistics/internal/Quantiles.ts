/** Percentiles of latencies and other ordered values. */

/** The value below which the share `p` (0 to 1) of an ascending list lies, between two values in proportion. */
export const quantileOfSorted = (sorted: ArrayLike<number>, p: number): number => {
  const place = (sorted.length - 1) * p
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[below + 1] ?? low
  // Returns equal values bit for bit, unlike `low + share * (high - low)`.
  return high === low ? low : low + (place - below) * (high - low)
}

/**
 * Percentiles by linear interpolation (type 7 of Hyndman and Fan, the usual default), in the unit of the values and in the order of
 * `ranks` (0 to 100). Empty without values.
 */
export const percentiles = (
  values: ReadonlyArray<number>,
  ranks: ReadonlyArray<number>
): ReadonlyArray<number> | undefined => {
  if (values.length === 0) return undefined
  const sorted = Float64Array.from(values).sort()
  return ranks.map((rank) => quantileOfSorted(sorted, rank / 100))
}

export interface LatencySummary {
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** What a report says of latencies, in their own unit (milliseconds); undefined of none. */
export const summarize = (values: ReadonlyArray<number>): LatencySummary | undefined => {
  const found = percentiles(values, [50, 90, 95, 99, 100])
  if (found === undefined) return undefined
  const [p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0] = found
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return { count: values.length, mean, p50, p90, p95, p99, max }
}
