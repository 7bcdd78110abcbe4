/** The calls of a deployment by hour, from the metrics of the API. Pure. */
import type { CallMetricsList } from "@limbeck/client"

type MetricRow = CallMetricsList["data"][number]

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

/** Calls per interval, by answering party. */
export interface HourOfCalls {
  /** Milliseconds. */
  readonly start: number
  readonly calls: number
  /** Shares of the calls. */
  readonly fallback: number
  readonly student: number
}

/** From metrics by `served_by`, oldest first; hours without calls are left out. */
export const from = (rows: ReadonlyArray<MetricRow>): ReadonlyArray<HourOfCalls> =>
  [...Map.groupBy(rows, ({ start }) => start)].map(([start, groups]) => {
    const callsOf = (name: string) => sumOf(groups.flatMap(({ calls, group }) => (group === name ? [calls] : [])))
    const calls = sumOf(groups.map((row) => row.calls))
    return {
      start: Date.parse(start),
      calls,
      fallback: callsOf("upstream_fallback") / calls,
      student: callsOf("student") / calls
    }
  })
