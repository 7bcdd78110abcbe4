/** How calls are counted in tallies. Pure. A store in SQL counts by the same rules, and its contract suite compares. */
import { dayMillis, type Millis } from "@limbeck/core/time/Timestamp"
import type { CapturedCall } from "../call/CapturedCall.ts"
import type { CallTally, TallyWidth } from "./CallTally.ts"

/** The length of an interval, in milliseconds. */
export const widthMillis = { hour: 3_600_000, day: dayMillis } as const

/** The start of the interval that holds a time. */
export const startOf = (width: TallyWidth, at: Millis): Millis => (width === "all" ? 0 : at - (at % widthMillis[width]))

const bucketsPerDoubling = 4
/** The last bound is 2 to the power of this: 70 minutes, longer than any timeout. */
const doublings = 22

/**
 * Ascending bounds of the latency buckets, in milliseconds: powers of the fourth root of 2, as whole numbers. Bucket n holds
 * latencies from bound n - 1 up to, and without, bound n, so a bucket is at most 20 % wide. Stored tallies depend on them.
 */
export const latencyBounds: ReadonlyArray<number> = [
  ...new Set(
    Array.from({ length: bucketsPerDoubling * doublings + 1 }, (_, step) =>
      Math.round(2 ** (step / bucketsPerDoubling))
    )
  )
]

/** The bucket of a latency: the number of bounds at or below the latency. */
export const bucketOf = (millis: number): number => {
  const above = latencyBounds.findIndex((bound) => bound > millis)
  return above === -1 ? latencyBounds.length : above
}

/** Tells apart the tallies of an interval. */
export const keyOf = ({ deployment, model, servedBy, source }: CallTally): string =>
  JSON.stringify([source, model, servedBy, deployment])

/** One call in the interval of each width that counts it; a call that verifies is in none. */
export const talliesOf = (call: CapturedCall): ReadonlyArray<readonly [TallyWidth, CallTally]> => {
  if (call.verifies !== undefined) return []
  const {
    costMicros,
    createdAt,
    deployment,
    latencyMillis,
    model,
    outcome,
    servedBy,
    source,
    usage,
    studentMicros = 0
  } = call
  const isOfUpstream = servedBy !== "student"
  const counts = {
    source,
    model,
    servedBy,
    deployment,
    calls: 1,
    failed: outcome === "failed" ? 1 : 0,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    pricedCalls: costMicros === null ? 0 : 1,
    unpricedCalls: costMicros === null && isOfUpstream && outcome !== "failed" ? 1 : 0,
    costMicros: costMicros ?? 0,
    studentMicros,
    costSquares: (costMicros ?? 0) ** 2,
    latencies: outcome === "succeeded" ? { [bucketOf(latencyMillis)]: 1 } : {}
  }
  const widths: ReadonlyArray<TallyWidth> =
    deployment !== null && isOfUpstream && costMicros !== null ? ["hour", "day", "all"] : ["hour", "day"]
  return widths.map((width) => [width, { ...counts, startsAt: startOf(width, createdAt) }])
}

type Latencies = CallTally["latencies"]

/** Both histograms together. */
export const addLatencies = (a: Latencies, b: Latencies): Latencies => {
  const sums = { ...a }
  for (const [bucket, calls] of Object.entries(b)) sums[bucket] = (sums[bucket] ?? 0) + calls
  return sums
}

/** Adds the counts of `more` to a tally. */
export const add = (tally: CallTally, more: CallTally): CallTally => ({
  ...tally,
  calls: tally.calls + more.calls,
  failed: tally.failed + more.failed,
  inputTokens: tally.inputTokens + more.inputTokens,
  outputTokens: tally.outputTokens + more.outputTokens,
  pricedCalls: tally.pricedCalls + more.pricedCalls,
  unpricedCalls: tally.unpricedCalls + more.unpricedCalls,
  costMicros: tally.costMicros + more.costMicros,
  studentMicros: tally.studentMicros + more.studentMicros,
  costSquares: tally.costSquares + more.costSquares,
  latencies: addLatencies(tally.latencies, more.latencies)
})
