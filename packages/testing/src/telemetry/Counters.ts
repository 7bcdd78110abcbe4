/** Counters among the metrics of this process. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

type Labels = Readonly<Record<string, string>>

/** Present values of the series of a counter that have these labels. */
export const valuesOf = (name: string, labels: Labels): Effect.Effect<ReadonlyArray<number>> =>
  Effect.map(Metric.snapshot, (snapshots) =>
    snapshots.flatMap((one) => {
      if (one.type !== "Counter" || one.id !== name) return []
      const own = one.attributes ?? {}
      return Object.entries(labels).every(([label, value]) => own[label] === value) ? [Number(one.state.count)] : []
    })
  )

/** The sum of these series, over all tests that ran in this process. */
export const total = (name: string, labels: Labels): Effect.Effect<number> =>
  Effect.map(valuesOf(name, labels), (values) => values.reduce((sum, value) => sum + value, 0))
