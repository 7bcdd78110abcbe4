/** Captured calls over a range of time, from the metrics of the API. Pure. */
import type { CallMetricsList } from "@limbeck/client"

export type MetricRow = CallMetricsList["data"][number]

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

interface Range {
  readonly name: string
  readonly interval: "hour" | "day"
  readonly intervals: number
}

export const ranges = {
  day: { name: "24 hours", interval: "hour", intervals: 24 },
  week: { name: "7 days", interval: "day", intervals: 7 },
  month: { name: "30 days", interval: "day", intervals: 30 },
  quarter: { name: "90 days", interval: "day", intervals: 90 }
} as const satisfies Readonly<Record<string, Range>>

export type RangeName = keyof typeof ranges

export const isRange = (name: string): name is RangeName => name in ranges

const millisOf = ({ interval }: Range): number => (interval === "hour" ? hourMillis : dayMillis)

/** The starts of the intervals in milliseconds, in UTC; the last one is under way. */
export const startsOf = (range: Range, now: number): ReadonlyArray<number> => {
  const millis = millisOf(range)
  const last = Math.floor(now / millis) * millis
  return Array.from({ length: range.intervals }, (_, index) => last - (range.intervals - 1 - index) * millis)
}

/** The query of the metrics of these intervals. */
export const queryOf = (range: Range, starts: ReadonlyArray<number>) => {
  const [first = 0, last = 0] = [starts[0], starts.at(-1)]
  return {
    from: new Date(first).toISOString(),
    to: new Date(last + millisOf(range)).toISOString(),
    interval: range.interval
  }
}

/** One value for each interval: the metrics leave out intervals without calls. */
export const valuesOf = <A>(
  starts: ReadonlyArray<number>,
  rows: ReadonlyArray<MetricRow>,
  of: (row: MetricRow) => A,
  without: A
): ReadonlyArray<A> => {
  const byStart = new Map(rows.map((row) => [Date.parse(row.start), row]))
  return starts.map((start) => {
    const row = byStart.get(start)
    return row === undefined ? without : of(row)
  })
}

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

/** The sum of what is known; null where nothing is. */
const knownSum = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : sumOf(known)
}

export interface Totals {
  readonly calls: number
  readonly failed: number
  readonly spentUsd: number | null
  readonly unpricedCalls: number
  /** The bounds are sums of the bounds, so the interval is wide rather than narrow. */
  readonly savedUsd: { readonly value: number; readonly low: number; readonly high: number } | null
}

export const totalsOf = (rows: ReadonlyArray<MetricRow>): Totals => {
  const saved = rows.flatMap(({ saved_usd }) => (saved_usd === null ? [] : [saved_usd]))
  return {
    calls: sumOf(rows.map(({ calls }) => calls)),
    failed: sumOf(rows.map(({ failed }) => failed)),
    spentUsd: knownSum(rows.map(({ cost_usd }) => cost_usd)),
    unpricedCalls: sumOf(rows.map(({ unpriced_calls }) => unpriced_calls)),
    savedUsd:
      saved.length === 0
        ? null
        : {
            value: sumOf(saved.map(({ value }) => value)),
            low: sumOf(saved.map(({ low }) => low)),
            high: sumOf(saved.map(({ high }) => high))
          }
  }
}

/** The models with the most spending, at most `max`, each with its rows; none whose prices are unknown. */
export const dearestOf = (
  rows: ReadonlyArray<MetricRow>,
  max: number
): ReadonlyArray<readonly [string, ReadonlyArray<MetricRow>]> =>
  [...Map.groupBy(rows, ({ group }) => group ?? "no model")]
    .flatMap(([model, own]) => {
      const { spentUsd: spent } = totalsOf(own)
      return spent === null ? [] : [{ model, own, spent }]
    })
    .sort((one, other) => other.spent - one.spent)
    .slice(0, max)
    .map(({ model, own }) => [model, own] as const)

/** Models with calls whose price is unknown. */
export const unpricedModels = (rows: ReadonlyArray<MetricRow>): number =>
  new Set(rows.filter(({ unpriced_calls }) => unpriced_calls > 0).map(({ group }) => group)).size
