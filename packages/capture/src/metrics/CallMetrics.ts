/** Metrics of stored calls over time, read from their tallies. */
import { type InvalidInput, invalid, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { CallStore } from "../call/CallStore.ts"
import { CaptureLimits } from "../Limits.ts"
import { type MetricGroup, MetricSeries, type Metrics, type UpstreamCosts, upstreamCosts } from "./MetricRules.ts"
import { startOf, widthMillis } from "./TallyRules.ts"

export const MetricInterval = Schema.Literals(["hour", "day"])
export type MetricInterval = typeof MetricInterval.Type

/** The first interval is the one that holds `from`; the last one starts before `to`. */
export interface MetricQuery {
  readonly from: Millis
  readonly to: Millis
  readonly interval: MetricInterval
  readonly groupBy: MetricGroup | undefined
  /** Its calls alone; undefined: those of all deployments, and of none. */
  readonly deployment?: string | undefined
}

export class CallMetrics extends Context.Service<
  CallMetrics,
  {
    /** Oldest first, then by group; intervals without calls are absent. */
    readonly over: (
      partition: Partition,
      query: MetricQuery
    ) => Effect.Effect<
      { readonly rows: ReadonlyArray<Metrics>; readonly costs: UpstreamCosts },
      InvalidInput | StorageError
    >
  }
>()("@limbeck/capture/metrics/CallMetrics") {}

const refusalOf = ({ from, interval, to }: MetricQuery): InvalidInput | undefined => {
  if (to <= from) return invalid("to", "to is after from")
  const { metricIntervalsMax } = CaptureLimits
  return to - from > metricIntervalsMax * widthMillis[interval]
    ? invalid("to", `The time from from to to has at most ${metricIntervalsMax} intervals`)
    : undefined
}

const make = Effect.map(CallStore, (store) =>
  CallMetrics.of({
    over: Effect.fn("CallMetrics.over")(function* (partition, query) {
      const refusal = refusalOf(query)
      if (refusal !== undefined) return yield* refusal
      const { deployment, from, groupBy, interval: width, to } = query
      const series = new MetricSeries(groupBy)
      const range = { width, from: startOf(width, from), until: to }
      const tallies = store.tallies(partition, range)
      const own =
        deployment === undefined ? tallies : Stream.filter(tallies, (tally) => tally.deployment === deployment)
      yield* Stream.runForEach(own, (tally) => {
        series.add(tally)
        return series.size <= CaptureLimits.metricRowsMax
          ? Effect.void
          : Effect.fail(
              invalid("to", `There are more than ${CaptureLimits.metricRowsMax} groups: ask for a shorter time`)
            )
      })
      const costs = yield* Stream.runCollect(store.tallies(partition, { width: "all", from: 0, until: 1 }))
      return { rows: series.rows, costs: upstreamCosts(costs) }
    })
  })
)

export const layer: Layer.Layer<CallMetrics, never, CallStore> = Layer.effect(CallMetrics, make)
