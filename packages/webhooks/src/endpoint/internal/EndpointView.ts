/** An endpoint with the statistics of its deliveries, as its GET shows it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import type { DeliveryStats, DeliveryStore } from "../../delivery/DeliveryStore.ts"
import { WebhookLimits } from "../../Limits.ts"
import * as Endpoint from "../Endpoint.ts"

export interface EndpointView {
  readonly endpoint: Endpoint.Endpoint
  readonly stats: DeliveryStats
}

export const noStats: DeliveryStats = { attempts: 0, succeeded: 0, pending: 0, deadLettered: 0 }

/** One look-up, however many endpoints. */
export const viewsOf = Effect.fnUntraced(function* (
  deliveries: DeliveryStore["Service"],
  partition: Partition,
  endpoints: ReadonlyArray<Endpoint.Endpoint>,
  now: Millis
) {
  if (endpoints.length === 0) return []
  const endpointIds = endpoints.map(({ id }) => id)
  const stats = yield* deliveries.stats(partition, endpointIds, now - WebhookLimits.statsWindowMillis)
  return endpoints.map(
    (endpoint): EndpointView => ({ endpoint: Endpoint.at(endpoint, now), stats: stats.get(endpoint.id) ?? noStats })
  )
})

export const viewOf = (
  deliveries: DeliveryStore["Service"],
  partition: Partition,
  endpoint: Endpoint.Endpoint,
  now: Millis
) => Effect.map(viewsOf(deliveries, partition, [endpoint], now), ([view]) => view ?? { endpoint, stats: noStats })
