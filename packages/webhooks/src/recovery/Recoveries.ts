/** Begins recoveries. What fits into one step is done at once; a worker does the rest, whatever happens to this process. */
import { type Conflict, type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DeliveryStore } from "../delivery/DeliveryStore.ts"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { requireEnabled } from "../endpoint/EndpointRules.ts"
import { Limits } from "../Limits.ts"
import * as Recovery from "./Recovery.ts"
import * as RecoveryStep from "./RecoveryStep.ts"

export class Recoveries extends Context.Service<
  Recoveries,
  {
    /**
     * Redelivers every dead letter of the endpoint that was made at `since` or later and within the time that redelivery
     * is for, and answers how many these are. A disabled endpoint recovers nothing.
     */
    readonly recover: (
      partition: Partition,
      endpointId: string,
      since: Millis
    ) => Effect.Effect<number, NotFound | Conflict | StorageError>
  }
>()("@limbeck/webhooks/recovery/Recoveries") {}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const deliveries = yield* DeliveryStore
  const queue = yield* Queue
  const ids = yield* Ids
  const step = yield* RecoveryStep.make

  const goOn = Effect.fnUntraced(function* (partition: Partition, recovery: Recovery.Recovery) {
    yield* Effect.catchTag(resources.insert(partition, Recovery.kind, recovery), "AlreadyExists", Effect.die)
    yield* queue.offer(partition, Recovery.topic, recovery.id, recovery.nextDueAt)
    yield* queue.nudge(Recovery.topic)
  })

  const begin = Effect.fnUntraced(function* (partition: Partition, endpointId: string, since: Millis) {
    const found = yield* resources.find(partition, Endpoint.kind, endpointId)
    if (Option.isNone(found)) return yield* notFound("webhook endpoint", endpointId)
    yield* Effect.fromResult(requireEnabled(found.value.value))
    const now = yield* Clock.currentTimeMillis
    const recovery: Recovery.Recovery = {
      id: yield* ids.make("rcv"),
      endpointId: found.value.value.id,
      since: Math.max(since, now - Limits.redeliveryMillis),
      until: now,
      after: null,
      nextDueAt: now,
      createdAt: now
    }
    const queued = yield* deliveries.countDeadLetters(partition, recovery)
    const rest = yield* step(partition, recovery)
    if (rest !== null) yield* goOn(partition, rest)
    return queued
  })

  return Recoveries.of({
    recover: Effect.fn("Recoveries.recover")((partition, endpointId, since) =>
      storage.transaction(begin(partition, endpointId, since))
    )
  })
})

export const layer: Layer.Layer<Recoveries, never, Storage | ResourceStore | DeliveryStore | Queue | Ids> =
  Layer.effect(Recoveries, make)
