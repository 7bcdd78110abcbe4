/** A delivery as its list and its detail show it (service-api 2.8, contract 8). */

import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import { type Attempt, type AttemptResult, type Delivery, isSuccess } from "./Delivery.ts"

const renderResult = (result: AttemptResult) => ({
  status_code: result.statusCode,
  body_snippet: result.bodySnippet,
  duration_ms: result.durationMillis,
  error: result.error
})

const renderAttempt = (attempt: Attempt) => ({
  id: attempt.id,
  object: "webhook_delivery_attempt" as const,
  attempt: attempt.number,
  trigger: attempt.trigger,
  ...renderResult(attempt.result),
  started_at: toIso(attempt.startedAt)
})

/** `next_retry_at` is set while a retry is scheduled: a pending delivery is sent at once, a final one never. */
export const render = (partition: Partition, delivery: Delivery) => ({
  id: delivery.id,
  object: "webhook_delivery" as const,
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
})
/** `attempts`: all that were made, oldest first. */
export const renderDetail = (partition: Partition, delivery: Delivery, attempts: ReadonlyArray<Attempt>) => ({
  ...render(partition, delivery),
  attempts: attempts.map(renderAttempt)
})

/** The result of a ping. */
export const renderPing = (result: AttemptResult) => ({
  object: "webhook_ping" as const,
  delivered: isSuccess(result),
  ...renderResult(result)
})
