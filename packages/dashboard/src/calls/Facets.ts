/** The models, sources and responders of captured calls, with their number, from the metrics. */
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import * as CallFigures from "../home/CallFigures.ts"
import { count } from "../parts/Words.ts"
import type { RangeName } from "./Filter.ts"

type Group = "model" | "source" | "served_by"

/** An option of a choice: a value, and its words. */
export type Facet = readonly [value: string, words: string]

/** Hours where these suffice: the days of longer ranges begin at midnight in UTC. */
const rangeFor = (range: RangeName | null) =>
  range === "hour" || range === "day" ? CallFigures.ranges.day : CallFigures.ranges[range === "week" ? "week" : "month"]

const countsOf = (rows: ReadonlyArray<CallFigures.MetricRow>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { calls, group } of rows) if (group !== null) counts.set(group, (counts.get(group) ?? 0) + calls)
  return counts
}

/**
 * The values of a group in a range, those with the most calls first. `shown`: the current value, which is among them in any case.
 * `wordsOf` names a value.
 */
export const useFacet = (
  group: Group,
  range: RangeName | null,
  shown: string | undefined,
  wordsOf: (value: string) => string = (value) => value
): ReadonlyArray<Facet> => {
  const client = useClient()
  const read = async () => {
    const wanted = rangeFor(range)
    const starts = CallFigures.startsOf(wanted, Date.now())
    return (await client.metrics({ ...CallFigures.queryOf(wanted, starts), group_by: group })).data
  }
  const { data = [] } = useAnswer(["calls", "facets", group, range], read)
  const counts = countsOf(data)
  const values = [...counts].toSorted(([, one], [, other]) => other - one)
  const facets = values.map(([value, calls]): Facet => [value, `${wordsOf(value)} (${count(calls)})`])
  return shown === undefined || counts.has(shown) ? facets : [...facets, [shown, wordsOf(shown)]]
}
