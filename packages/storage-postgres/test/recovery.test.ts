import { assert, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Ids from "@limbeck/core/ids/Ids"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { runAt } from "@limbeck/testing/fixtures/StillClock"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Endpoint from "@limbeck/webhooks/endpoint/Endpoint"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Recoveries from "@limbeck/webhooks/recovery/Recoveries"
import * as Recovery from "@limbeck/webhooks/recovery/Recovery"
import * as RecoveryWorker from "@limbeck/webhooks/recovery/RecoveryWorker"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { storage } from "./Database.ts"

const count = 2 * WebhookLimits.recoveryBatch + 200

/** An enabled endpoint with dead letters. */
const failedEndpoint = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const events = yield* EventStore
  const store = yield* DeliveryStore
  const partition = Fresh.partition()
  const endpoint = Deliveries.endpoint()
  const { id } = endpoint
  yield* resources.insert(partition, Endpoint.kind, endpoint)
  const made = Events.events(partition, count)
  yield* events.append(partition, made)
  yield* store.insert(
    partition,
    made.map((event) => Deliveries.delivery(event, id))
  )
  const now = Fresh.start + count
  const claimed = yield* store.claimDue({ lane: "first", now, limit: count, leaseUntil: now + 1 })
  yield* store.settle(claimed.map((one) => Deliveries.deadLetterOf(one, now)))
  return { id, partition, now: now + 1_000 }
})

const worker = Effect.map(Layer.build(Layer.fresh(RecoveryWorker.layer)), (context) =>
  Context.get(context, RecoveryWorker.RecoveryWorker)
)

const ids = Layer.provide(Ids.layer, SecureRandom.layerWebCrypto)

it.live("a recovery goes on from where a dead worker left it, and two workers at once step no letter twice", () =>
  Effect.gen(function* () {
    const queue = yield* Queue
    const store = yield* DeliveryStore
    const { id, now, partition } = yield* failedEndpoint
    const { recover } = yield* Recoveries.Recoveries
    assert.strictEqual(yield* runAt(now, recover(partition, id, 0)), count)

    // A worker takes the work and dies with it.
    const dueAt = now + WebhookLimits.recoveryBatch * WebhookLimits.recoverySpacingMillis
    assert.strictEqual(yield* queue.nextDueAt(Recovery.topic), dueAt)
    const leaseUntil = dueAt + WebhookLimits.recoveryLeaseMillis
    yield* queue.claim({ topic: Recovery.topic, now: dueAt, limit: 1, leaseUntil })
    const workers = [yield* worker, yield* worker]
    const both = Effect.map(
      Effect.forEach(workers, ({ runOnce }) => runOnce, { concurrency: "unbounded" }),
      (steps) => steps.reduce((sum, one) => sum + one, 0)
    )
    assert.strictEqual(yield* runAt(leaseUntil - 1, both), 0)
    let steps = 0
    for (let next: number | null = leaseUntil; next !== null; next = yield* queue.nextDueAt(Recovery.topic)) {
      steps += yield* runAt(next, both)
    }
    assert.strictEqual(steps, 2)
    const stats = (yield* store.stats(partition, [id], 0)).get(id)
    assert.deepInclude(stats, { pending: count, deadLettered: 0 })
    const far = now + 10 ** 9
    const due = yield* store.claimDue({ lane: "retry", now: far, limit: 2 * count, leaseUntil: far + 1 })
    assert.strictEqual(new Set(due.map(({ delivery }) => delivery.dueAt)).size, count)
  }).pipe(Effect.provide(Layer.provideMerge(Recoveries.layer, Layer.merge(storage, ids))))
)
