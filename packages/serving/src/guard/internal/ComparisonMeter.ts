/** Counts comparisons of students with their upstream for metrics, and breaches of floors, by alias. */
import type { ShadowResult } from "@limbeck/capture/call/CapturedCall"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { ServingLimits } from "../../Limits.ts"

const comparisons = Metric.counter("limbeck_student_comparisons_total", {
  description: "Answers of active students that were compared with the upstream's",
  incremental: true
})
const breaches = Metric.counter("limbeck_student_breaches_total", {
  description: "Floors of students, or of single questions, that were breached",
  incremental: true
})

/** The label of aliases beyond the limit. */
const other = "other"

/** Each series begins at 0: one that appears with its first value has no increase to alert on. */
const seriesOf = Effect.fnUntraced(function* (alias: string) {
  const series = {
    agreed: Metric.withAttributes(comparisons, { alias, result: "agreed" }),
    differed: Metric.withAttributes(comparisons, { alias, result: "differed" }),
    breached: Metric.withAttributes(breaches, { alias })
  }
  for (const counter of Object.values(series)) yield* Metric.update(counter, 0)
  return series
})

export const make = Effect.gen(function* () {
  const known = new Map([[other, yield* seriesOf(other)]])
  const seriesFor = Effect.fnUntraced(function* (alias: string) {
    const label = known.size > ServingLimits.meteredAliasesMax && !known.has(alias) ? other : alias
    const series = known.get(label) ?? (yield* seriesOf(label))
    known.set(label, series)
    return series
  })
  /** Results without a comparison count as none. `breached`: floors that these results broke. */
  return Effect.fnUntraced(function* (
    alias: string,
    results: ReadonlyArray<Pick<ShadowResult, "agrees">>,
    breached: number
  ) {
    const series = yield* seriesFor(alias)
    const count = (agrees: boolean) => results.filter((result) => result.agrees === agrees).length
    yield* Metric.update(series.agreed, count(true))
    yield* Metric.update(series.differed, count(false))
    yield* Metric.update(series.breached, breached)
  })
})
