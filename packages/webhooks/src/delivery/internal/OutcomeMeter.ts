/** Counts written outcomes of deliveries for metrics, by the state that each attempt led to. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { Settlement } from "../DeliveryStore.ts"

const counter = Metric.counter("limbeck_webhook_outcomes_total", {
  description: "Outcomes of deliveries to endpoints: succeeded, failed and due again, or dead lettered",
  incremental: true
})

const outcomes = ["succeeded", "failed", "dead_lettered"] as const

/** Shows each outcome from the start on: a series that appears with its first value has no increase to alert on. */
export const make = Effect.gen(function* () {
  const counters = new Map<string, typeof counter>(
    outcomes.map((outcome) => [outcome, Metric.withAttributes(counter, { outcome })])
  )
  for (const one of counters.values()) yield* Metric.update(one, 0)
  return (settlements: ReadonlyArray<Settlement>): Effect.Effect<void> =>
    Effect.forEach(
      settlements,
      ({ attempt, delivery: { status } }) => {
        const own = attempt === null ? undefined : counters.get(status)
        return own === undefined ? Effect.void : Metric.update(own, 1)
      },
      { discard: true }
    )
})
