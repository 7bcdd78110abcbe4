/** An endpoint as its GET returns it (service-api 2.6). */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, idOf, Timestamp, UrlShown } from "@limbeck/core/resources/WireSchemas"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { DeliveryStats } from "../delivery/DeliveryStore.ts"
import { EndpointStatus } from "./Endpoint.ts"
import type { EndpointView } from "./internal/EndpointView.ts"

export const EndpointResource = Schema.Struct({
  id: idOf("wh"),
  object: Schema.Literal("webhook_endpoint"),
  livemode: Schema.Boolean,
  url: UrlShown,
  description: Schema.String,
  enabled_events: Schema.Array(Schema.String),
  api_version: Schema.String,
  status: EndpointStatus,
  previous_secret_expires_at: Schema.NullOr(Timestamp),
  delivery_stats: Schema.Struct({
    success_rate_24h: Schema.NullOr(Schema.Finite),
    pending: Count,
    dead_lettered: Count
  }),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "WebhookEndpoint" })

export const EndpointWithSecretResource = Schema.Struct({ ...EndpointResource.fields, secret: Schema.String }).annotate(
  {
    identifier: "WebhookEndpointWithSecret"
  }
)

const renderStats = (stats: DeliveryStats) => ({
  success_rate_24h: stats.attempts === 0 ? null : stats.succeeded / stats.attempts,
  pending: stats.pending,
  dead_lettered: stats.deadLettered
})

export const render = Rendered.by(EndpointResource, (partition: Partition, { endpoint, stats }: EndpointView) => ({
  id: endpoint.id,
  object: "webhook_endpoint",
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
}))
/** With its secret: only in the responses to creating the endpoint and to rotating its secret. */
export const renderWithSecret = Rendered.by(
  EndpointWithSecretResource,
  (partition: Partition, view: EndpointView, secret: string) => ({
    ...render(partition, view),
    secret
  })
)
