/** What a set of durations looks like. */
export interface Latency {
  readonly p50Millis: number
  readonly p99Millis: number
  readonly maxMillis: number
}

export const of = (millis: ReadonlyArray<number>): Latency => {
  const sorted = Float64Array.from(millis).sort()
  const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  return { p50Millis: share(0.5), p99Millis: share(0.99), maxMillis: sorted.at(-1) ?? 0 }
}
