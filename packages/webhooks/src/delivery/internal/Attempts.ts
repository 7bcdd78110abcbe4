/**
 * Makes the attempts of claimed deliveries: signs, sends, and has the outcome written before the slot is free again. No
 * attempt begins that could outlive its lease.
 */

import { Ids } from "@limbeck/core/ids/Ids"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Trace from "@limbeck/core/trace/Trace"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Clock from "effect/Clock"
import type { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
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

/** How much earlier a queued delivery's lease ends, so that it cannot outlive the queue's limit. */
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

/** A claimed delivery to attempt. */
export interface Work {
  readonly lane: Lane
  readonly claimed: ClaimedDelivery
  /** Undefined: it was deleted. */
  readonly endpoint: Endpoint.Endpoint | undefined
  readonly leaseUntil: Millis
  /** Called when the outcome is written. */
  readonly ended: () => void
}

/**
 * Returns a function that begins an attempt or queues it. Attempts run in the surrounding scope, which waits for them. One
 * fiber makes an attempt and ends with the receiver's response; the turn before it and the write after it use callbacks,
 * which cost less than a waiting fiber.
 */
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
  const settle = yield* Settler.make
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  // Detached, so that stopping the loop does not interrupt attempts; the finalizer below waits for attempts with a slot.
  const fork = Effect.runForkWith(yield* Effect.context<Mac>())

  // Added after the settler, so it runs first: attempts under way are settled before the settler stops.
  yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(slots.endLines), slots.awaitIdle))

  const move = (claimed: ClaimedDelivery, event: DeliveryEvent, at: Millis) =>
    // Only pending and failed deliveries are due, and both allow every event of an attempt.
    Result.getOrThrow(transition(schedule, claimed.delivery, event, at))

  /** Dead-letters without an attempt, because the endpoint is disabled or deleted (contract 14.6). */
  const giveUp = (claimed: ClaimedDelivery, ended: () => void) => {
    const delivery = move(claimed, DeliveryEvent.EndpointDisabled(), now())
    settle({ partition: claimed.partition, lease: claimed.lease, delivery, attempt: null }, ended)
  }

  /** Makes no attempt: the delivery stays due, for every worker. */
  const giveBack = ({ delivery, lease, partition }: ClaimedDelivery, ended: () => void) =>
    settle({ partition, lease, delivery, attempt: null }, () => {
      bell.openUnsafe()
      ended()
    })

  /** Ends when the receiver has answered; `ended` is called when that is written. */
  const attempt = Effect.fnUntraced(function* (
    claimed: ClaimedDelivery,
    endpoint: Endpoint.Endpoint,
    leaseUntil: Millis,
    slot: Slot,
    ended: () => void
  ) {
    const { delivery, lease, partition } = claimed
    const startedAt = now()
    const event = { id: delivery.eventId, type: delivery.eventType }
    const body = ApiVersions.textIn(endpoint.apiVersion, claimed.body)
    const traceparent = (yield* Trace.current) ?? delivery.traceparent
    const request = yield* sign(partition, endpoint, { event, deliveryId: delivery.id, body, traceparent }, startedAt)
    // The claim or the commit took long: the lease would end during this attempt, and another worker would begin one.
    if (startedAt + WebhookLimits.attemptLeaseMillis > leaseUntil) return giveBack(claimed, ended)
    const result = yield* sender.send(request)
    const endedAt = now()
    slots.noteAnswer(slot, outcomeOf(result), endedAt)
    const outcome = { startedAt, result }
    const happened = isSuccess(result) ? DeliveryEvent.Succeeded(outcome) : DeliveryEvent.Failed(outcome)
    const moved = move(claimed, happened, endedAt)
    const made = {
      id: yield* ids.make("att"),
      deliveryId: delivery.id,
      number: moved.attemptCount,
      trigger: delivery.trigger,
      result,
      startedAt
    }
    settle({ partition, lease, delivery: moved, attempt: made }, () => {
      if (moved.dueAt !== null && moved.dueAt < endedAt + WebhookLimits.pollMillis) bell.openUnsafe()
      if (moved.status !== "dead_lettered") return ended()
      fork(Effect.ensuring(autoDisable.gaveUp(partition, endpoint.id), Effect.sync(ended)))
    })
  })

  const begin = ({ claimed, endpoint, ended }: Work, slot: Slot, leaseUntil: Millis): void => {
    const { endpointId, id, traceparent } = claimed.delivery
    const free = () => {
      slots.give(slot, noAttempt, now())
      ended()
    }
    const work =
      endpoint?.status === "enabled"
        ? attempt(claimed, endpoint, leaseUntil, slot, free)
        : Effect.sync(() => giveUp(claimed, free))
    fork(
      Effect.catchCause(Trace.continueTrace(traceparent, "webhook.delivery", spanOf(claimed))(work), (cause) =>
        Effect.logError("delivery_attempt_failed", cause).pipe(
          Effect.annotateLogs({ delivery: id, endpoint: endpointId }),
          Effect.andThen(Effect.sync(free))
        )
      )
    )
  }

  /** Runs when the turn comes, or when the line ends. */
  const turnOf =
    (work: Work) =>
    (slot: Slot | null): void => {
      if (slot !== null) begin(work, slot, work.leaseUntil - inLineMillis)
      else
        giveBack(work.claimed, () => {
          slots.leave(work.claimed.partition.workspace)
          work.ended()
        })
    }

  return (work: Work): void => {
    const { claimed, ended, lane, leaseUntil } = work
    const ref = { id: claimed.delivery.endpointId, workspace: claimed.partition.workspace }
    const slot = slots.take(ref, lane, now())
    if (slot !== null) begin(work, slot, leaseUntil)
    // Other attempts have taken the room since the claim.
    else if (!slots.join(ref, lane, turnOf(work))) giveBack(claimed, ended)
  }
})
