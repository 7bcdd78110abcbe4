/**
 * Goes on with recoveries: a step when the one before has gone out, each in one transaction with how far it came. A worker
 * that dies leaves a step done or not begun, and another goes on when the lease has ended.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import * as WorkerLoop from "@limbeck/core/queue/WorkerLoop"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { DeliveryStore } from "../delivery/DeliveryStore.ts"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { Limits } from "../Limits.ts"
import * as Recovery from "./Recovery.ts"
import * as RecoveryStep from "./RecoveryStep.ts"

export class RecoveryWorker extends Context.Service<
  RecoveryWorker,
  {
    /** Does one step of each recovery that is due; answers how many these were. */
    readonly runOnce: Effect.Effect<number, StorageError>
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/webhooks/recovery/RecoveryWorker") {}

const recoveriesAtOnce = 10

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const step = yield* RecoveryStep.make

  /** Also over when its endpoint was disabled or deleted meanwhile. */
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

  const hold = (work: Work) =>
    storage.transaction(perform(work)).pipe(
      Effect.catchTag("LeaseLost", () => Effect.logInfo(`Webhook recovery ${work.subject} is no longer ours`)),
      // Nothing of it happened, and it is due again when the lease ends.
      Effect.catchCause((cause) => Effect.logError(`A step of webhook recovery ${work.subject} broke off`, cause))
    )

  const runOnce = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const leaseUntil = now + Limits.recoveryLeaseMillis
    const claimed = yield* queue.claim({ topic: Recovery.topic, now, limit: recoveriesAtOnce, leaseUntil })
    yield* Effect.forEach(claimed, hold, { discard: true })
    return claimed.length
  })

  const forever = WorkerLoop.forever({
    topic: Recovery.topic,
    runOnce,
    nextDueAt: queue.nextDueAt(Recovery.topic),
    pollMillis: Limits.pollMillis
  }).pipe(Effect.provideService(Queue, queue))

  return RecoveryWorker.of({ runOnce, forever })
})

export const layer: Layer.Layer<RecoveryWorker, never, Storage | ResourceStore | DeliveryStore | Queue> = Layer.effect(
  RecoveryWorker,
  make
)
