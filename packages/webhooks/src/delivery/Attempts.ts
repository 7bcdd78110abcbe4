/**
 * Makes the attempts of claimed deliveries: signs, sends, and has the outcome written down before the place is free again.
 * No attempt begins that could outlive its lease.
 */

import { Ids } from "@limbeck/core/ids/Ids"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Latch from "effect/Latch"
import { AutoDisable } from "../endpoint/AutoDisable.ts"
import type * as Endpoint from "../endpoint/Endpoint.ts"
import { Limits } from "../Limits.ts"
import { isSuccess, type Lane } from "./Delivery.ts"
import { DeliveryEvent, transition } from "./DeliveryMachine.ts"
import type { ClaimedDelivery } from "./DeliveryStore.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import * as Settler from "./Settler.ts"
import * as Signer from "./Signer.ts"
import type { Slots } from "./Slots.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** Runs in the surrounding scope, which does not end before the attempts under way have. */
export const make = Effect.fnUntraced(function* (options: {
  readonly schedule?: RetrySchedule.RetrySchedule
  readonly brand?: string
  readonly slots: Slots
  /** Rung when there is room again, or work of ours will be due soon. */
  readonly bell: Latch.Latch
}) {
  const { bell, schedule = RetrySchedule.standard, slots } = options
  const sender = yield* WebhookSender
  const ids = yield* Ids
  const sign = yield* Signer.make(options.brand)
  const autoDisable = yield* AutoDisable
  const settler = yield* Settler.make

  // Added after the settler, so it runs first: attempts under way end, and are settled, before the settler stops.
  yield* Effect.addFinalizer(() => slots.awaitIdle)

  const move = (claimed: ClaimedDelivery, event: DeliveryEvent, now: number) =>
    // Only what is pending or failed is ever due, and these take every event of ours.
    Effect.orDie(Effect.fromResult(transition(schedule, claimed.delivery, event, now)))

  /** Nobody to send to: not an attempt (contract 14.6). */
  const giveUp = Effect.fnUntraced(function* (claimed: ClaimedDelivery) {
    const now = yield* Clock.currentTimeMillis
    const delivery = yield* move(claimed, DeliveryEvent.EndpointDisabled(), now)
    yield* settler.settle({ partition: claimed.partition, lease: claimed.lease, delivery, attempt: null })
    return null
  })

  /** Not an attempt: it is due as before, for anybody. */
  const giveBack = Effect.fnUntraced(function* ({ delivery, lease, partition }: ClaimedDelivery) {
    yield* settler.settle({ partition, lease, delivery, attempt: null })
    bell.openUnsafe()
    return null
  })

  /** Answers whether the receiver kept silent; null when it was not asked. */
  const attempt = Effect.fn("DeliveryDispatcher.attempt")(function* (
    claimed: ClaimedDelivery,
    endpoint: Endpoint.Endpoint,
    leaseUntil: Millis
  ) {
    const { body, delivery, lease, partition } = claimed
    const startedAt = yield* Clock.currentTimeMillis
    const event = { id: delivery.eventId, type: delivery.eventType }
    const request = yield* sign(partition, endpoint, { event, deliveryId: delivery.id, body }, startedAt)
    // A claim or a commit that took long: the lease would end, and another worker begin, while this attempt lasts.
    if (startedAt + Limits.attemptLeaseMillis > leaseUntil) return yield* giveBack(claimed)
    const result = yield* sender.send(request)
    const now = yield* Clock.currentTimeMillis
    const outcome = { startedAt, result }
    const happened = isSuccess(result) ? DeliveryEvent.Succeeded(outcome) : DeliveryEvent.Failed(outcome)
    const moved = yield* move(claimed, happened, now)
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
    if (moved.dueAt !== null && moved.dueAt < now + Limits.pollMillis) bell.openUnsafe()
    if (moved.status === "dead_lettered") yield* autoDisable.gaveUp(partition, endpoint.id)
    return result.error !== null && result.durationMillis >= Limits.slowMillis
  })

  // Detached, so that stopping the loop does not cut it off; the finalizer above waits for what has a slot.
  return Effect.fnUntraced(function* (
    lane: Lane,
    claimed: ClaimedDelivery,
    endpoint: Endpoint.Endpoint | undefined,
    leaseUntil: Millis
  ) {
    const { endpointId, id } = claimed.delivery
    const slot = slots.take(endpointId, lane, yield* Clock.currentTimeMillis)
    // Others took the room meanwhile.
    if (slot === null) return yield* Effect.forkDetach(giveBack(claimed))
    const work = endpoint?.status === "enabled" ? attempt(claimed, endpoint, leaseUntil) : giveUp(claimed)
    const guarded = work.pipe(
      Effect.catchCause((cause) =>
        Effect.as(Effect.logError(`Delivery ${id} met a failure; it is attempted again`, cause), null)
      ),
      Effect.onExit((exit) =>
        Effect.sync(() => slots.give(slot, Exit.isSuccess(exit) ? exit.value : null) && bell.openUnsafe())
      )
    )
    return yield* Effect.forkDetach(guarded)
  })
})
