/** Webhook endpoints and their deliveries (service-api 2.6, 2.8). */

import { versions } from "@limbeck/core/versions/ApiVersions"
import { DeliveryStatus } from "@limbeck/webhooks/delivery/Delivery"
import {
  DeliveryResource as WebhookDelivery,
  AttemptResource as WebhookDeliveryAttempt,
  DeliveryDetailResource as WebhookDeliveryDetail,
  PingResource as WebhookPing
} from "@limbeck/webhooks/delivery/DeliveryResource"
import { EndpointStatus } from "@limbeck/webhooks/endpoint/Endpoint"
import {
  EndpointResource as WebhookEndpoint,
  EndpointWithSecretResource as WebhookEndpointWithSecret
} from "@limbeck/webhooks/endpoint/EndpointResource"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  asAccepted,
  asCreated,
  Count,
  Description,
  documentRule,
  Instant,
  idOf,
  listOf,
  listQuery,
  NoFields,
  nonEmpty,
  textUpTo,
  Url
} from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { about, goneErrors, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export {
  WebhookDelivery,
  WebhookDeliveryAttempt,
  WebhookDeliveryDetail,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookPing
}

const ApiVersion = textUpTo(Limits.apiVersionMax).check(documentRule({ enum: versions }))
const EventPattern = textUpTo(Limits.eventPatternMax)
  .check(documentRule({ minLength: 1, pattern: "^(\\*|[^*]+(\\.\\*)?)$" }))
  .annotate({ description: "An event type, *, or <prefix>.* of one" })
const EnabledEvents = nonEmpty(EventPattern, Limits.enabledEventsSentMax)

export const WebhookEndpointCreate = Schema.Struct({
  url: Url,
  description: Schema.optionalKey(Description),
  enabled_events: EnabledEvents,
  api_version: Schema.optionalKey(ApiVersion)
}).annotate({ identifier: "WebhookEndpointCreate" })

export const WebhookEndpointUpdate = Schema.Struct({
  url: Schema.optionalKey(Url),
  description: Schema.optionalKey(Description),
  enabled_events: Schema.optionalKey(EnabledEvents),
  api_version: Schema.optionalKey(ApiVersion),
  status: Schema.optionalKey(EndpointStatus)
}).annotate({ identifier: "WebhookEndpointUpdate" })

export const WebhookEndpointDeleted = Schema.Struct({
  id: idOf("wh"),
  object: Schema.Literal("webhook_endpoint"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "WebhookEndpointDeleted" })

export const WebhookSecretRotate = Schema.Struct({
  expires_in_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: WebhookLimits.secretOverlapSecondsMax }))
  )
}).annotate({ identifier: "WebhookSecretRotate" })

export const WebhookPingRequest = Schema.Struct({
  type: Schema.optionalKey(
    textUpTo(Limits.eventPatternMax).annotate({
      description:
        "The event type of the catalog to send, with an example of its object, in test mode alone; webhook.ping by default."
    })
  )
}).annotate({ identifier: "WebhookPingRequest" })

export const WebhookRecover = Schema.Struct({ since: Instant }).annotate({ identifier: "WebhookRecover" })
export const WebhookRecovery = Schema.Struct({ queued: Count }).annotate({ identifier: "WebhookRecovery" })

const endpointParams = { webhook_endpoint_id: idOf("wh") }

const deliveriesQuery = {
  ...listQuery,
  status: Schema.optionalKey(DeliveryStatus),
  event_type: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "An event type; a 400 where there is none of this name" })
  )
}
const DeliveriesQuery = Schema.Struct(deliveriesQuery)
export type DeliveriesQuery = typeof DeliveriesQuery.Type

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/v1/webhook_endpoints", {
      payload: WebhookEndpointCreate,
      success: asCreated(WebhookEndpointWithSecret),
      error: writeErrors
    }).annotateMerge(
      operation("createWebhookEndpoint", "Subscribe a URL to events; the secret is shown this once", {
        access: "webhooks:write",
        idempotency: "supported",
        secret: true
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/webhook_endpoints", {
      query: listQuery,
      success: listOf(WebhookEndpoint),
      error: readErrors
    }).annotateMerge(operation("listWebhookEndpoints", "Endpoints of the caller's mode", { access: "webhooks:read" }))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/webhook_endpoints/:webhook_endpoint_id", {
      params: endpointParams,
      success: WebhookEndpoint,
      error: readErrors
    }).annotateMerge(operation("getWebhookEndpoint", "One endpoint", { access: "webhooks:read" }))
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/webhook_endpoints/:webhook_endpoint_id", {
      params: endpointParams,
      payload: WebhookEndpointUpdate,
      success: WebhookEndpoint,
      error: writeErrors
    }).annotateMerge(operation("updateWebhookEndpoint", "Change, disable or enable", { access: "webhooks:write" }))
  )
  .add(
    HttpApiEndpoint.delete("delete", "/v1/webhook_endpoints/:webhook_endpoint_id", {
      params: endpointParams,
      success: WebhookEndpointDeleted,
      error: readErrors
    }).annotateMerge(
      operation("deleteWebhookEndpoint", "Delete; outstanding deliveries are dropped", { access: "webhooks:write" })
    )
  )
  .add(
    HttpApiEndpoint.get("deliveries", "/v1/webhook_endpoints/:webhook_endpoint_id/deliveries", {
      params: endpointParams,
      query: deliveriesQuery,
      success: listOf(WebhookDelivery),
      error: readErrors
    }).annotateMerge(operation("listWebhookDeliveries", "Deliveries of an endpoint", { access: "webhooks:read" }))
  )
  .add(
    HttpApiEndpoint.get("delivery", "/v1/webhook_endpoints/:webhook_endpoint_id/deliveries/:delivery_id", {
      params: { ...endpointParams, delivery_id: idOf("del") },
      success: WebhookDeliveryDetail,
      error: readErrors
    }).annotateMerge(
      operation("getWebhookDelivery", "One delivery with every recorded attempt", {
        access: "webhooks:read",
        terminalStates: ["succeeded", "dead_lettered"]
      })
    )
  )
  .add(
    HttpApiEndpoint.post("rotate_secret", "/v1/webhook_endpoints/:webhook_endpoint_id/rotate_secret", {
      params: endpointParams,
      payload: WebhookSecretRotate,
      success: WebhookEndpointWithSecret,
      error: writeErrors
    }).annotateMerge(
      operation("rotateWebhookSecret", "A new secret; the one before signs too until the overlap ends", {
        access: "webhooks:write",
        idempotency: "supported",
        secret: true,
        bodyOptional: true
      })
    )
  )
  .add(
    HttpApiEndpoint.post("ping", "/v1/webhook_endpoints/:webhook_endpoint_id/ping", {
      params: endpointParams,
      payload: WebhookPingRequest,
      success: WebhookPing,
      error: writeErrors
    }).annotateMerge(
      operation("pingWebhookEndpoint", "Send one signed test event now, also to a disabled endpoint", {
        access: "webhooks:write",
        idempotency: "supported",
        outsideTransaction: true,
        bodyOptional: true
      })
    )
  )
  .add(
    HttpApiEndpoint.post("recover", "/v1/webhook_endpoints/:webhook_endpoint_id/recover", {
      params: endpointParams,
      payload: WebhookRecover,
      success: asAccepted(WebhookRecovery),
      error: writeErrors
    }).annotateMerge(
      operation("recoverWebhookDeliveries", "Redeliver, paced, every dead-lettered delivery made since a time", {
        access: "webhooks:write",
        idempotency: "supported"
      })
    )
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/v1/webhook_endpoints/:webhook_endpoint_id/deliveries/:delivery_id/redeliver", {
      params: { ...endpointParams, delivery_id: idOf("del") },
      payload: NoFields,
      success: asAccepted(WebhookDelivery),
      error: goneErrors
    }).annotateMerge(
      operation(
        "redeliverWebhookDelivery",
        "A new cycle of attempts for a dead-lettered delivery of the last 30 days",
        {
          access: "webhooks:write",
          idempotency: "supported",
          bodyOptional: true,
          terminalStates: ["succeeded", "dead_lettered"]
        }
      )
    )
  )
  .annotateMerge(about("Webhook endpoints, their secrets and their deliveries.")) {}
