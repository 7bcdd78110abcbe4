/** A delivery as its list and its detail show it (service-api 2.8, contract 8). */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { type Attempt, type AttemptResult, type Delivery, DeliveryStatus, isSuccess } from "./Delivery.ts"

const attemptResult = {
  status_code: Schema.NullOr(Schema.Int),
  body_snippet: Schema.String,
  duration_ms: Count,
  error: Schema.NullOr(Schema.String)
}

export const DeliveryResource = Schema.Struct({
  id: idOf("del"),
  object: Schema.Literal("webhook_delivery"),
  livemode: Schema.Boolean,
  webhook_endpoint_id: idOf("wh"),
  event_id: idOf("evt"),
  event_type: Schema.String,
  status: DeliveryStatus,
  attempt_count: Count,
  last_response: Schema.Struct(attemptResult),
  next_retry_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "WebhookDelivery" })

export const AttemptResource = Schema.Struct({
  id: idOf("att"),
  object: Schema.Literal("webhook_delivery_attempt"),
  attempt: Count,
  trigger: Schema.Literals(["automatic", "manual"]),
  ...attemptResult,
  started_at: Timestamp
}).annotate({ identifier: "WebhookDeliveryAttempt" })

export const DeliveryDetailResource = Schema.Struct({
  ...DeliveryResource.fields,
  attempts: Schema.Array(AttemptResource)
}).annotate({ identifier: "WebhookDeliveryDetail" })

export const PingResource = Schema.Struct({
  object: Schema.Literal("webhook_ping"),
  delivered: Schema.Boolean,
  ...attemptResult
}).annotate({ identifier: "WebhookPing" })

const renderResult = (result: AttemptResult) => ({
  status_code: result.statusCode,
  body_snippet: result.bodySnippet,
  duration_ms: result.durationMillis,
  error: result.error
})

const renderAttempt = Rendered.by(AttemptResource, (attempt: Attempt) => ({
  id: attempt.id,
  object: "webhook_delivery_attempt",
  attempt: attempt.number,
  trigger: attempt.trigger,
  ...renderResult(attempt.result),
  started_at: toIso(attempt.startedAt)
}))

/** `next_retry_at` is set while a retry is scheduled: a pending delivery is sent at once, a final one never. */
export const render = Rendered.by(DeliveryResource, (partition: Partition, delivery: Delivery) => ({
  id: delivery.id,
  object: "webhook_delivery",
  livemode: partition.livemode,
  webhook_endpoint_id: delivery.endpointId,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  status: delivery.status,
  attempt_count: delivery.attemptCount,
  last_response: renderResult(delivery.lastResult),
  next_retry_at: delivery.status === "failed" ? toIsoOrNull(delivery.dueAt) : null,
  created_at: toIso(delivery.createdAt),
  updated_at: toIso(delivery.updatedAt)
}))
/** `attempts`: all that were made, oldest first. */
export const renderDetail = Rendered.by(
  DeliveryDetailResource,
  (partition: Partition, delivery: Delivery, attempts: ReadonlyArray<Attempt>) => ({
    ...render(partition, delivery),
    attempts: attempts.map(renderAttempt)
  })
)

/** The result of a ping. */
export const renderPing = Rendered.by(PingResource, (result: AttemptResult) => ({
  object: "webhook_ping",
  delivered: isSuccess(result),
  ...renderResult(result)
}))
