/** A delivery: one event on its way to one endpoint (service-api 2.8, 3.2). */
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { EndpointId } from "../endpoint/Endpoint.ts"

export const DeliveryId = Id.schema("del")
export type DeliveryId = typeof DeliveryId.Type
const AttemptId = Id.schema("att")

export const DeliveryStatus = Schema.Literals(["pending", "failed", "succeeded", "dead_lettered"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** The receiver's response, or the error that prevented one. */
export const AttemptResult = Schema.Struct({
  statusCode: Schema.NullOr(Schema.Int),
  bodySnippet: Schema.String,
  durationMillis: Schema.Int,
  error: Schema.NullOr(Schema.String)
})
export type AttemptResult = typeof AttemptResult.Type

/** Before the first attempt (contract 8). */
export const noResult: AttemptResult = { statusCode: null, bodySnippet: "", durationMillis: 0, error: null }

/** What started the attempt's cycle: the event, or a manual redelivery. */
export const Trigger = Schema.Literals(["automatic", "manual"])
export type Trigger = typeof Trigger.Type

export const Delivery = Schema.Struct({
  id: DeliveryId,
  endpointId: EndpointId,
  eventId: Id.EventId,
  eventType: Schema.String,
  status: DeliveryStatus,
  /** Attempts made in all cycles. */
  attemptCount: Schema.Int,
  /** The current cycle of six: the start of its first attempt (null before), its attempts so far, and its trigger. */
  cycleStartedAt: Schema.NullOr(Millis),
  cycleAttempts: Schema.Int,
  trigger: Trigger,
  lastResult: AttemptResult,
  /** Of what published the event; null where that was not traced. */
  traceparent: Schema.NullOr(Schema.String),
  /** When it is due; null once it is final. */
  dueAt: Schema.NullOr(Millis),
  createdAt: Millis,
  updatedAt: Millis
})
export type Delivery = typeof Delivery.Type

export const Attempt = Schema.Struct({
  id: AttemptId,
  deliveryId: DeliveryId,
  /** Counts from 1, over all cycles. */
  number: Schema.Int,
  trigger: Trigger,
  result: AttemptResult,
  startedAt: Millis
})
export type Attempt = typeof Attempt.Type

/** First attempts, and all others: neither may crowd out the other. */
export type Lane = "first" | "retry"

/** The only law of lanes. A storage keeps the result in a column, and decides nothing itself. */
export const laneOf = ({ attemptCount, trigger }: Pick<Delivery, "attemptCount" | "trigger">): Lane =>
  attemptCount === 0 && trigger === "automatic" ? "first" : "retry"

/** Where deliveries of a status may wait: a failed one has been attempted; a pending one is new, or redelivered. */
export const lanesOf = (status: DeliveryStatus): ReadonlyArray<Lane> =>
  status === "failed" ? ["retry"] : ["first", "retry"]

/** A 2xx response that was read to its end (contract 8). */
export const isSuccess = (result: AttemptResult): boolean =>
  result.error === null && result.statusCode !== null && result.statusCode >= 200 && result.statusCode < 300

/** A new delivery is due at once. */
export const pending = (options: {
  readonly id: DeliveryId
  readonly endpointId: EndpointId
  readonly eventId: Id.EventId
  readonly eventType: string
  readonly now: Millis
  /** None by default. */
  readonly traceparent?: string | null
}): Delivery => ({
  id: options.id,
  endpointId: options.endpointId,
  eventId: options.eventId,
  eventType: options.eventType,
  status: "pending",
  attemptCount: 0,
  cycleStartedAt: null,
  cycleAttempts: 0,
  trigger: "automatic",
  lastResult: noResult,
  traceparent: options.traceparent ?? null,
  dueAt: options.now,
  createdAt: options.now,
  updatedAt: options.now
})
