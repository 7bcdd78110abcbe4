/**
 * One step of a recovery, in the surrounding transaction: the next batch of dead letters is made pending, due one after the
 * other, so that they come as a trickle between fresh deliveries and not as a flood.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DeliveryEvent, transition } from "../delivery/DeliveryMachine.ts"
import { DeliveryStore, deliveryTopic } from "../delivery/DeliveryStore.ts"
import * as RetrySchedule from "../delivery/RetrySchedule.ts"
import { Limits } from "../Limits.ts"
import type { Recovery } from "./Recovery.ts"

/** Answers the recovery as it goes on from here; null when all is done. */
export type RecoveryStep = (partition: Partition, recovery: Recovery) => Effect.Effect<Recovery | null, StorageError>

export const make = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  const queue = yield* Queue

  const step: RecoveryStep = Effect.fn("RecoveryStep")(function* (partition, recovery) {
    const now = yield* Clock.currentTimeMillis
    const startsAt = Math.max(now, recovery.nextDueAt)
    const dueAt = (place: number) => startsAt + place * Limits.recoverySpacingMillis
    const request = { after: recovery.after, limit: Limits.recoveryBatch }
    const dead = yield* deliveries.deadLetters(partition, recovery, request)
    const revived = yield* Effect.forEach(dead, (delivery, place) =>
      // What is dead-lettered may be redelivered; the schedule has no say in it.
      Effect.fromResult(
        transition(RetrySchedule.standard, delivery, DeliveryEvent.Redelivered({ dueAt: dueAt(place) }), now)
      )
    ).pipe(Effect.orDie)
    // Those that somebody else redelivered meanwhile are refused, which is as good.
    yield* deliveries.redeliver(partition, revived)
    yield* queue.nudge(deliveryTopic)
    const last = dead.at(-1)
    if (last === undefined || dead.length < Limits.recoveryBatch) return null
    return { ...recovery, after: last.id, nextDueAt: dueAt(dead.length) }
  })
  return step
})
