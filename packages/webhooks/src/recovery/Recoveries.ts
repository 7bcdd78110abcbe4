/** Begins recoveries. Does the first step at once; a worker does the rest, even if this process dies. */
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Storage } from "@limbeck/core/storage/Storage"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DeliveryStore } from "../delivery/DeliveryStore.ts"
import type { EndpointDisabled } from "../Errors.ts"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { requireEnabled } from "../endpoint/internal/EndpointRules.ts"
import { WebhookLimits } from "../Limits.ts"
import * as RecoveryStep from "./internal/RecoveryStep.ts"
import * as Recovery from "./Recovery.ts"

export class Recoveries extends Context.Service<
  Recoveries,
  {
    /**
     * Redelivers every dead letter of the endpoint made since `since` and within the redelivery limit, and returns their
     * number. A disabled endpoint recovers nothing.
     */
    readonly recover: (
      partition: Partition,
      endpointId: string,
      since: Millis
    ) => Effect.Effect<number, NotFound | EndpointDisabled | StorageError>
  }
>()("@limbeck/webhooks/recovery/Recoveries") {}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const deliveries = yield* DeliveryStore
  const queue = yield* Queue
  const ids = yield* Ids
  const step = yield* RecoveryStep.make

  const continueLater = Effect.fnUntraced(function* (partition: Partition, recovery: Recovery.Recovery) {
    yield* resources.add(partition, Recovery.kind, recovery)
    yield* queue.offer(partition, Recovery.topic, recovery.id, recovery.nextDueAt)
    yield* queue.nudge(Recovery.topic)
  })

  const begin = Effect.fnUntraced(function* (partition: Partition, endpointId: string, since: Millis) {
    const endpoint = yield* Resources.requireValue(resources, partition, Endpoint.kind, endpointId)
    yield* Effect.fromResult(requireEnabled(endpoint))
    const now = yield* Clock.currentTimeMillis
    const recovery: Recovery.Recovery = {
      id: yield* ids.make("rcv"),
      endpointId: endpoint.id,
      since: Math.max(since, now - WebhookLimits.redeliveryMillis),
      until: now,
      after: null,
      nextDueAt: now,
      createdAt: now
    }
    const queued = yield* deliveries.countDeadLetters(partition, recovery)
    const rest = yield* step(partition, recovery)
    if (rest !== null) yield* continueLater(partition, rest)
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
