/** An endpoint as its GET shows it (service-api 2.6). */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import type { DeliveryStats } from "../delivery/DeliveryStore.ts"
import type { EndpointView } from "./internal/EndpointView.ts"

const renderStats = (stats: DeliveryStats) => ({
  success_rate_24h: stats.attempts === 0 ? null : stats.succeeded / stats.attempts,
  pending: stats.pending,
  dead_lettered: stats.deadLettered
})

export const render = (partition: Partition, { endpoint, stats }: EndpointView) => ({
  id: endpoint.id,
  object: "webhook_endpoint" as const,
  livemode: partition.livemode,
  url: endpoint.url,
  description: endpoint.description,
  enabled_events: endpoint.enabledEvents,
  api_version: endpoint.apiVersion,
  status: endpoint.status,
  previous_secret_expires_at: toIsoOrNull(endpoint.previousSecretExpiresAt),
  delivery_stats: renderStats(stats),
  created_at: toIso(endpoint.createdAt),
  updated_at: toIso(endpoint.updatedAt)
})
/** With its secret: only in the responses to creating the endpoint and to rotating its secret. */
export const renderWithSecret = (partition: Partition, view: EndpointView, secret: string) => ({
  ...render(partition, view),
  secret
})
