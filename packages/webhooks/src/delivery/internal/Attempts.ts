/**
 * Makes the attempts of claimed deliveries: signs, sends, and has the outcome written before the slot is free again. No
 * attempt begins that could outlive its lease.
 */

import { Ids } from "@limbeck/core/ids/Ids"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Trace from "@limbeck/core/trace/Trace"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type { SpanOptionsNoTrace } from "effect/Tracer"
import { AutoDisable } from "../../endpoint/AutoDisable.ts"
import type * as Endpoint from "../../endpoint/Endpoint.ts"
import { WebhookLimits } from "../../Limits.ts"
import { type AttemptResult, isSuccess, type Lane } from "../Delivery.ts"
import { DeliveryEvent, transition } from "../DeliveryMachine.ts"
import type { ClaimedDelivery } from "../DeliveryStore.ts"
import * as RetrySchedule from "../RetrySchedule.ts"
import { WebhookSender } from "../WebhookSender.ts"
import * as Settler from "./Settler.ts"
import * as Signer from "./Signer.ts"
import type { Outcome, Slot, Slots } from "./Slots.ts"

const noAttempt: Outcome = "unknown"

/** What the lease of one that stood in line is shorter by, so that it does not stand there for longer than it may. */
const inLineMillis = WebhookLimits.leaseMillis - WebhookLimits.attemptLeaseMillis - WebhookLimits.lineMillis

const spanOf = ({ delivery }: ClaimedDelivery): SpanOptionsNoTrace => ({
  kind: "producer",
  attributes: {
    "limbeck.delivery.id": delivery.id,
    "limbeck.endpoint.id": delivery.endpointId,
    "limbeck.event.id": delivery.eventId,
    "limbeck.event.type": delivery.eventType
  }
})

const outcomeOf = (result: AttemptResult): Outcome => {
  if (result.error !== null && result.durationMillis >= WebhookLimits.slowMillis) return "silent"
  return isSuccess(result) && result.durationMillis < WebhookLimits.swiftMillis ? "swift" : "responding"
}

/** Runs in the surrounding scope, which does not end before the attempts under way have ended. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the ends of one attempt, which share the settler and the slots
export const make = Effect.fnUntraced(function* (options: {
  readonly schedule?: RetrySchedule.RetrySchedule
  readonly brand?: string
  readonly slots: Slots
  /** Rung when a delivery of this process will be due before the dispatcher looks again. */
  readonly bell: Latch.Latch
}) {
  const { bell, schedule = RetrySchedule.standard, slots } = options
  const sender = yield* WebhookSender
  const ids = yield* Ids
  const sign = yield* Signer.make(options.brand)
  const autoDisable = yield* AutoDisable
  const settler = yield* Settler.make

  // Added after the settler, so it runs first: attempts under way end, and are settled, before the settler stops.
  yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(slots.endLines), slots.awaitIdle))

  const move = (claimed: ClaimedDelivery, event: DeliveryEvent, now: number) =>
    // Only pending and failed deliveries are due, and both allow every event of an attempt.
    Result.getOrThrow(transition(schedule, claimed.delivery, event, now))

  /** The endpoint is disabled or deleted, so there is no attempt (contract 14.6). */
  const giveUp = Effect.fnUntraced(function* (claimed: ClaimedDelivery) {
    const now = yield* Clock.currentTimeMillis
    const delivery = move(claimed, DeliveryEvent.EndpointDisabled(), now)
    yield* settler.settle({ partition: claimed.partition, lease: claimed.lease, delivery, attempt: null })
    return noAttempt
  })

  /** Makes no attempt: the delivery is due as before, for every worker. */
  const giveBack = Effect.fnUntraced(function* ({ delivery, lease, partition }: ClaimedDelivery) {
    yield* settler.settle({ partition, lease, delivery, attempt: null })
    bell.openUnsafe()
    return noAttempt
  })

  /** Returns what it has shown of the endpoint. */
  const attempt = Effect.fnUntraced(function* (
    claimed: ClaimedDelivery,
    endpoint: Endpoint.Endpoint,
    leaseUntil: Millis,
    slot: Slot
  ) {
    const { delivery, lease, partition } = claimed
    const startedAt = yield* Clock.currentTimeMillis
    const event = { id: delivery.eventId, type: delivery.eventType }
    const body = ApiVersions.textIn(endpoint.apiVersion, claimed.body)
    const traceparent = (yield* Trace.current) ?? delivery.traceparent
    const request = yield* sign(partition, endpoint, { event, deliveryId: delivery.id, body, traceparent }, startedAt)
    // The claim or the commit took long: the lease would end during this attempt, and another worker would begin one.
    if (startedAt + WebhookLimits.attemptLeaseMillis > leaseUntil) return yield* giveBack(claimed)
    const result = yield* sender.send(request)
    const now = yield* Clock.currentTimeMillis
    slots.answered(slot, outcomeOf(result), now)
    const outcome = { startedAt, result }
    const happened = isSuccess(result) ? DeliveryEvent.Succeeded(outcome) : DeliveryEvent.Failed(outcome)
    const moved = move(claimed, happened, now)
    yield* settler.settle({
      partition,
      lease,
      delivery: moved,
      attempt: {
        id: yield* ids.make("att"),
        deliveryId: delivery.id,
        number: moved.attemptCount,
        trigger: delivery.trigger,
        result,
        startedAt
      }
    })
    if (moved.dueAt !== null && moved.dueAt < now + WebhookLimits.pollMillis) bell.openUnsafe()
    if (moved.status === "dead_lettered") yield* autoDisable.gaveUp(partition, endpoint.id)
    return outcomeOf(result)
  })

  // Detached, so that stopping the loop does not cut it off; the finalizer above waits for what has a slot.
  return Effect.fnUntraced(function* (
    lane: Lane,
    claimed: ClaimedDelivery,
    endpoint: Endpoint.Endpoint | undefined,
    leaseUntil: Millis
  ) {
    const { endpointId, id } = claimed.delivery
    const make = (slot: Slot, until: Millis) => {
      const work = endpoint?.status === "enabled" ? attempt(claimed, endpoint, until, slot) : giveUp(claimed)
      return Trace.continued(
        claimed.delivery.traceparent,
        "webhook.delivery",
        spanOf(claimed)
      )(work).pipe(
        Effect.catchCause((cause) =>
          Effect.logError("delivery_attempt_failed", cause).pipe(
            Effect.annotateLogs({ delivery: id, endpoint: endpointId }),
            Effect.as(noAttempt)
          )
        ),
        Effect.onExit((exit) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            slots.give(slot, Exit.isSuccess(exit) ? exit.value : noAttempt, now)
          )
        )
      )
    }
    const slot = slots.take(endpointId, lane, yield* Clock.currentTimeMillis)
    if (slot !== null) return yield* Effect.forkDetach(make(slot, leaseUntil))
    const turn = slots.join(endpointId, lane)
    // Other attempts have taken the room since the claim.
    if (turn === null) return yield* Effect.forkDetach(giveBack(claimed))
    const left = Effect.ensuring(giveBack(claimed), Effect.sync(slots.leave))
    return yield* Effect.forkDetach(
      Effect.flatMap(turn, (slot) => (slot === null ? left : make(slot, leaseUntil - inLineMillis)))
    )
  })
})
