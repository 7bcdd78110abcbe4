/** The webhook routes (service-api 2.6, 2.8; contract 8). */

import { type DeliveriesQuery, WebhooksApi } from "@limbeck/api/WebhooksApi"
import type { EventCatalog } from "@limbeck/core/events/Events"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Deliveries } from "@limbeck/webhooks/delivery/Deliveries"
import * as DeliveryResource from "@limbeck/webhooks/delivery/DeliveryResource"
import * as EndpointResource from "@limbeck/webhooks/endpoint/EndpointResource"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import { Pings } from "@limbeck/webhooks/endpoint/Pings"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import { Recoveries } from "@limbeck/webhooks/recovery/Recoveries"
import * as Effect from "effect/Effect"
import * as EventFilter from "../../http/internal/EventFilter.ts"
import * as Lists from "../../http/internal/Lists.ts"
import { RequestVersion } from "../../http/internal/RequestVersion.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

type Needs = EventCatalog | Endpoints | Deliveries | Pings | Recoveries

/** The deliveries of an endpoint. */
const makeListing = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const check = (yield* EventFilter.make).type

  return (partition: Partition, endpointId: string, query: DeliveriesQuery) => {
    const { event_type: given, status } = query
    const page = (request: Page.PageRequest, ofStatus = status ?? null) =>
      deliveries.page(partition, { endpointId, status: ofStatus, eventType: given ?? null }, request)
    const hasEntry = Effect.map(page(Page.firstPage(1), null), ({ items }) => items.length > 0)
    const list = Lists.page(
      { partition, list: `deliveries.${endpointId}`, query, filters: { status, event_type: given } },
      page,
      (items) => items.map((item) => DeliveryResource.render(partition, item))
    )
    return Effect.andThen(check({ param: "event_type", given, hasEntry }), list)
  }
})

export const make: Effect.Effect<Handlers<typeof WebhooksApi>, never, Needs> = Effect.gen(function* () {
  const endpoints = yield* Endpoints
  const deliveries = yield* Deliveries
  const pings = yield* Pings
  const recoveries = yield* Recoveries
  const listing = yield* makeListing

  return handlersOf(WebhooksApi)({
    create: ({ caller: { partition }, payload }) =>
      Effect.gen(function* () {
        const { secret, view } = yield* endpoints.create(partition, {
          url: payload.url,
          description: payload.description,
          enabledEvents: payload.enabled_events,
          // By default the request's version also applies to events.
          apiVersion: payload.api_version ?? (yield* RequestVersion)
        })
        return EndpointResource.renderWithSecret(partition, view, secret)
      }),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "webhook_endpoints", query },
        (request) =>
          Effect.map(endpoints.page(partition, request), (page) =>
            Page.map(page, (view) => ({ id: view.endpoint.id, view }))
          ),
        (items) => items.map(({ view }) => EndpointResource.render(partition, view))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(endpoints.get(partition, params.webhook_endpoint_id), (view) =>
        EndpointResource.render(partition, view)
      ),
    update: ({ caller: { partition }, params, payload }) =>
      Effect.map(
        endpoints.update(partition, params.webhook_endpoint_id, {
          url: payload.url,
          description: payload.description,
          enabledEvents: payload.enabled_events,
          apiVersion: payload.api_version,
          status: payload.status
        }),
        (view) => EndpointResource.render(partition, view)
      ),
    delete: ({ caller: { partition }, params: { webhook_endpoint_id: id } }) =>
      Effect.as(endpoints.remove(partition, id), { id, object: "webhook_endpoint" as const, deleted: true as const }),
    deliveries: ({ caller: { partition }, params, query }) => listing(partition, params.webhook_endpoint_id, query),
    delivery: ({ caller: { partition }, params }) =>
      Effect.map(
        deliveries.detail(partition, params.webhook_endpoint_id, params.delivery_id),
        ({ attempts, delivery }) => DeliveryResource.renderDetail(partition, delivery, attempts)
      ),
    rotate_secret: ({ caller: { partition }, params, payload }) => {
      const overlap = payload.expires_in_seconds ?? WebhookLimits.secretOverlapSeconds
      return Effect.map(endpoints.rotateSecret(partition, params.webhook_endpoint_id, overlap), ({ secret, view }) =>
        EndpointResource.renderWithSecret(partition, view, secret)
      )
    },
    ping: ({ caller: { partition }, params, payload }) =>
      Effect.map(pings.ping(partition, params.webhook_endpoint_id, payload.type), DeliveryResource.renderPing),
    recover: ({ caller: { partition }, params, payload }) =>
      Effect.map(recoveries.recover(partition, params.webhook_endpoint_id, payload.since), (queued) => ({ queued })),
    redeliver: ({ caller: { partition }, params }) =>
      Effect.map(deliveries.redeliver(partition, params.webhook_endpoint_id, params.delivery_id), (delivery) =>
        DeliveryResource.render(partition, delivery)
      )
  })
})
