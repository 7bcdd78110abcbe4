/**
 * One step of a recovery, in the surrounding transaction: makes the next batch of dead letters pending, with spaced due
 * times, so that they spread between new deliveries.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DeliveryEvent, transition } from "../../delivery/DeliveryMachine.ts"
import { DeliveryStore, deliveryTopic } from "../../delivery/DeliveryStore.ts"
import * as RetrySchedule from "../../delivery/RetrySchedule.ts"
import { WebhookLimits } from "../../Limits.ts"
import type { Recovery } from "../Recovery.ts"

/** Returns the rest of the recovery; null when it is finished. */
type RecoveryStep = (partition: Partition, recovery: Recovery) => Effect.Effect<Recovery | null, StorageError>

export const make = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  const queue = yield* Queue

  const step: RecoveryStep = Effect.fn("RecoveryStep")(function* (partition, recovery) {
    const now = yield* Clock.currentTimeMillis
    const startsAt = Math.max(now, recovery.nextDueAt)
    const dueAt = (place: number) => startsAt + place * WebhookLimits.recoverySpacingMillis
    const request = { after: recovery.after, limit: WebhookLimits.recoveryBatch }
    const dead = yield* deliveries.deadLetters(partition, recovery, request)
    const revived = yield* Effect.forEach(dead, (delivery, place) =>
      // Every dead letter may be redelivered, whatever the schedule.
      Effect.fromResult(
        transition(RetrySchedule.standard, delivery, DeliveryEvent.Redelivered({ dueAt: dueAt(place) }), now)
      )
    ).pipe(Effect.orDie)
    // Dead letters redelivered by another request are refused, to the same effect.
    yield* deliveries.redeliver(partition, revived)
    yield* queue.nudge(deliveryTopic)
    const last = dead.at(-1)
    if (last === undefined || dead.length < WebhookLimits.recoveryBatch) return null
    return { ...recovery, after: last.id, nextDueAt: dueAt(dead.length) }
  })
  return step
})
