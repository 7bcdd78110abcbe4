/** An endpoint with its delivery statistics, as its GET returns it. */
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

type Store = DeliveryStore["Service"]

const statsOf = (deliveries: Store, partition: Partition, endpointIds: ReadonlyArray<string>, now: Millis) =>
  deliveries.stats(partition, endpointIds, now - WebhookLimits.statsWindowMillis)

const viewAt = (
  endpoint: Endpoint.Endpoint,
  stats: Effect.Success<ReturnType<typeof statsOf>>,
  now: Millis
): EndpointView => ({ endpoint: Endpoint.at(endpoint, now), stats: stats.get(endpoint.id) ?? noStats })

/** One look-up, however many endpoints. */
export const viewsOf = Effect.fnUntraced(function* (
  deliveries: Store,
  partition: Partition,
  endpoints: ReadonlyArray<Endpoint.Endpoint>,
  now: Millis
) {
  if (endpoints.length === 0) return []
  const endpointIds = endpoints.map(({ id }) => id)
  const stats = yield* statsOf(deliveries, partition, endpointIds, now)
  return endpoints.map((endpoint) => viewAt(endpoint, stats, now))
})

export const viewOf = (deliveries: Store, partition: Partition, endpoint: Endpoint.Endpoint, now: Millis) =>
  Effect.map(viewsOf(deliveries, partition, [endpoint], now), ([view]) => view ?? { endpoint, stats: noStats })

/** Reads the endpoint and its statistics concurrently: outside transactions both look-ups share a round trip. */
export const viewOfRead = <E>(
  deliveries: Store,
  partition: Partition,
  id: string,
  reading: Effect.Effect<Endpoint.Endpoint, E>,
  now: Millis
) =>
  Effect.map(
    Effect.all([reading, statsOf(deliveries, partition, [id], now)], { concurrency: "unbounded" }),
    ([endpoint, stats]) => viewAt(endpoint, stats, now)
  )
