/**
 * Resumes recoveries: one step when the previous step's deliveries were due, in one transaction with its progress. A dying
 * worker leaves a step done or not begun, and another worker resumes after the lease.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { DeliveryStore } from "../delivery/DeliveryStore.ts"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { WebhookLimits } from "../Limits.ts"
import * as RecoveryStep from "./internal/RecoveryStep.ts"
import * as Recovery from "./Recovery.ts"

export class RecoveryWorker extends Context.Service<
  RecoveryWorker,
  {
    /** Does one step of each due recovery; returns their number. */
    readonly runOnce: Effect.Effect<number, StorageError>
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/webhooks/recovery/RecoveryWorker") {}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const step = yield* RecoveryStep.make

  /** It also ends when its endpoint was disabled or deleted. */
  const next = Effect.fnUntraced(function* ({ partition }: Work, recovery: Recovery.Recovery) {
    const endpoint = yield* resources.find(partition, Endpoint.kind, recovery.endpointId)
    const isEnabled = Option.isSome(endpoint) && endpoint.value.value.status === "enabled"
    return isEnabled ? yield* step(partition, recovery) : null
  })

  const perform = Effect.fnUntraced(function* (work: Work) {
    yield* queue.guard(work)
    const stored = Option.getOrUndefined(yield* resources.find(work.partition, Recovery.kind, work.subject))
    const rest = stored === undefined ? null : yield* next(work, stored.value)
    if (stored === undefined || rest === null) {
      yield* resources.remove(work.partition, Recovery.kind, work.subject)
      return yield* queue.settle(work)
    }
    yield* resources.compareAndSet(work.partition, Recovery.kind, { ...stored, value: rest })
    yield* queue.release(work, rest.nextDueAt)
  })

  return RecoveryWorker.of(
    yield* LeasedWorker.make({
      topic: Recovery.topic,
      perform: (work) => storage.transaction(perform(work)),
      pool: Pools.recoveries,
      leaseMillis: WebhookLimits.recoveryLeaseMillis,
      heartbeatMillis: WebhookLimits.recoveryLeaseMillis / 2,
      pollMillis: WebhookLimits.recoveryPollMillis
    })
  )
})

export const layer: Layer.Layer<RecoveryWorker, never, Storage | ResourceStore | DeliveryStore | Queue> = Layer.effect(
  RecoveryWorker,
  make
)
