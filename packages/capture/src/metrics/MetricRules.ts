/** What tallies come to in a group: percentiles of latency, and what students saved. Pure. */
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { CallTally } from "./CallTally.ts"
import { add, latencyBounds } from "./TallyRules.ts"

export const MetricGroup = Schema.Literals(["source", "model", "served_by", "deployment"])
export type MetricGroup = typeof MetricGroup.Type

/** An estimate with its 95 % interval. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** The calls of a group in one interval. */
export interface Metrics {
  readonly startsAt: Millis
  readonly group: string | null
  readonly tally: CallTally
  /** Calls that a student answered, and what students have paid, by deployment. */
  readonly studentCalls: ReadonlyMap<string, StudentCalls>
}

export interface StudentCalls {
  /** Calls that the student answered. */
  readonly answered: number
  /** What it has paid for embeddings, also of calls that the upstream answered. */
  readonly paidMicros: number
}

/** Estimates a percentile from latency buckets, in whole milliseconds, within the bucket of the exact percentile. Null without calls. */
export const percentileOf = (latencies: CallTally["latencies"], percent: number): number | null => {
  const buckets = Object.entries(latencies).map(([bucket, calls]) => [Number(bucket), calls] as const)
  const total = buckets.reduce((sum, [, calls]) => sum + calls, 0)
  const rank = Math.max(1, Math.ceil((total * percent) / 100))
  let before = 0
  for (const [bucket, calls] of buckets.toSorted(([a], [b]) => a - b)) {
    if (before + calls >= rank) {
      const first = bucket === 0 ? 0 : (latencyBounds[bucket - 1] ?? 0)
      const last = (latencyBounds[bucket] ?? first + 1) - 1
      return Math.round(first + (last - first) * ((rank - before) / calls))
    }
    before += calls
  }
  return null
}

const normalQuantile = 1.959963984540054

/**
 * The two-sided 95 % quantile of Student's t. Exact for 1 and 2 degrees of freedom, else Fisher's expansion (Abramowitz and
 * Stegun 26.7.5), which is off by less than 0.5 %.
 */
export const tQuantile = (freedom: number): number => {
  if (freedom === 1) return 12.7062047362
  if (freedom === 2) return 4.3026527297
  const z = normalQuantile
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1_482 * z ** 5 - 1_920 * z ** 3 - 945 * z) / 92_160
  ]
  return terms.reduce((sum, term, index) => sum + term / freedom ** (index + 1), z)
}

/** What the upstream's priced answers cost, by deployment. */
export type UpstreamCosts = ReadonlyMap<string, Pick<CallTally, "pricedCalls" | "costMicros" | "costSquares">>

export const upstreamCosts = (tallies: Iterable<CallTally>): UpstreamCosts => {
  const costs = new Map<string, CallTally>()
  for (const tally of tallies) {
    if (tally.deployment === null) continue
    const known = costs.get(tally.deployment)
    costs.set(tally.deployment, known === undefined ? tally : add(known, tally))
  }
  return costs
}

/**
 * What the upstream would have charged for the calls that students answered, in micro-dollars: as many draws from the costs of
 * the deployment's upstream answers. The interval is a prediction interval: it covers the spread of those costs, and that
 * their mean is known from `pricedCalls` answers only. What students have paid is subtracted. A deployment with fewer than two of
 * these answers counts nothing; null where no deployment counts.
 */
export const savedMicros = (studentCalls: Metrics["studentCalls"], costs: UpstreamCosts): Estimate | null => {
  const savings = [...studentCalls].flatMap(([deployment, { answered: calls, paidMicros }]) => {
    const { costMicros = 0, costSquares = 0, pricedCalls = 0 } = costs.get(deployment) ?? {}
    if (pricedCalls < 2) return []
    const mean = costMicros / pricedCalls
    const variance = Math.max(0, costSquares - costMicros * mean) / (pricedCalls - 1)
    const half = tQuantile(pricedCalls - 1) * Math.sqrt(variance * (calls ** 2 / pricedCalls + calls))
    return [{ value: calls * mean, half, paidMicros }]
  })
  if (savings.length === 0) return null
  const value = savings.reduce((sum, one) => sum + one.value, 0)
  const half = Math.hypot(...savings.map((one) => one.half))
  const paid = savings.reduce((sum, { paidMicros }) => sum + paidMicros, 0)
  return { value: value - paid, low: Math.max(0, value - half) - paid, high: value + half - paid }
}

const groupOf = (tally: CallTally, by: MetricGroup | undefined): string | null => {
  if (by === undefined) return null
  return by === "served_by" ? tally.servedBy : tally[by]
}

/** Collects tallies by interval and group. */
export class MetricSeries {
  readonly #groups = new Map<
    string,
    { tally: CallTally; group: string | null; studentCalls: Map<string, StudentCalls> }
  >()
  readonly #by: MetricGroup | undefined

  constructor(by: MetricGroup | undefined) {
    this.#by = by
  }

  get size(): number {
    return this.#groups.size
  }

  add(tally: CallTally): void {
    const group = groupOf(tally, this.#by)
    const key = JSON.stringify([tally.startsAt, group])
    const known = this.#groups.get(key)
    const row = known ?? { tally, group, studentCalls: new Map<string, StudentCalls>() }
    if (known === undefined) this.#groups.set(key, row)
    else known.tally = add(known.tally, tally)
    const { calls, deployment, servedBy, studentMicros } = tally
    if (deployment === null || (servedBy !== "student" && studentMicros === 0)) return
    const { answered, paidMicros } = row.studentCalls.get(deployment) ?? { answered: 0, paidMicros: 0 }
    row.studentCalls.set(deployment, {
      answered: answered + (servedBy === "student" ? calls : 0),
      paidMicros: paidMicros + studentMicros
    })
  }

  /** By time, and then by group; the group without a name is first. */
  get rows(): ReadonlyArray<Metrics> {
    const rows = [...this.#groups.values()].map((row) => ({ ...row, startsAt: row.tally.startsAt }))
    return rows.toSorted((a, b) => a.startsAt - b.startsAt || ((a.group ?? "") < (b.group ?? "") ? -1 : 1))
  }
}
