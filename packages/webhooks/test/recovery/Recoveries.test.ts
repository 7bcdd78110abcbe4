import { assert, describe, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { caseCount } from "@limbeck/testing/Campaign"
import { Deliveries } from "@limbeck/webhooks/delivery/Deliveries"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import { Recoveries } from "@limbeck/webhooks/recovery/Recoveries"
import * as Recovery from "@limbeck/webhooks/recovery/Recovery"
import * as RecoveryWorker from "@limbeck/webhooks/recovery/RecoveryWorker"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Receiver } from "../support/Receiver.ts"
import {
  createEndpoint,
  deadDeliveries,
  deliveriesOf,
  during,
  live,
  publish,
  settleDown,
  test,
  world
} from "../support/World.ts"

const recover = (endpointId: string, since = 0, partition = live) =>
  Effect.flatMap(Recoveries, (recoveries) => recoveries.recover(partition, endpointId, since))

const countOf = Effect.fnUntraced(function* (endpointId: string) {
  const stats = (yield* (yield* DeliveryStore).stats(live, [endpointId], 0)).get(endpointId)
  return { pending: stats?.pending, dead: stats?.deadLettered }
})

/** Runs steps at their queue times until none is left. */
const workToEnd = Effect.fnUntraced(function* () {
  const worker = yield* RecoveryWorker.RecoveryWorker
  const queue = yield* Queue
  let steps = 0
  for (;;) {
    const dueAt = yield* queue.nextDueAt(Recovery.topic)
    if (dueAt === null) return steps
    yield* TestClock.setTime(Math.max(dueAt, yield* Clock.currentTimeMillis))
    steps += yield* worker.runOnce
  }
})

describe("Recoveries", () => {
  it.effect("every dead letter since a time is sent again, one after the other", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      yield* TestClock.setTime(1_000)
      const old = yield* deadDeliveries(endpoint.id, 2)
      yield* TestClock.setTime(2_000)
      yield* deadDeliveries(endpoint.id, 3)
      yield* TestClock.setTime(9_000)
      assert.strictEqual(yield* recover(endpoint.id, 2_000), 3)
      const deliveries = (yield* deliveriesOf(endpoint.id)).toReversed()
      assert.deepStrictEqual(
        deliveries.map(({ dueAt, status, trigger }) => [status, trigger, dueAt]),
        [
          ["dead_lettered", "automatic", null],
          ["dead_lettered", "automatic", null],
          ["pending", "manual", 9_000],
          ["pending", "manual", 9_010],
          ["pending", "manual", 9_020]
        ]
      )
      assert.deepStrictEqual(deliveries.slice(0, 2), old)
      assert.isNull(yield* (yield* Queue).nextDueAt(Recovery.topic))
      assert.strictEqual(yield* recover(endpoint.id, 2_000), 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("nothing that is too old to be redelivered is recovered, however early the time", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      yield* deadDeliveries(endpoint.id, 2)
      yield* TestClock.setTime(1)
      yield* deadDeliveries(endpoint.id, 1)
      yield* TestClock.setTime(WebhookLimits.redeliveryMillis + 1)
      assert.strictEqual(yield* recover(endpoint.id), 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("other endpoints keep their dead letters, and a time to come has none", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      const other = yield* createEndpoint()
      yield* deadDeliveries(endpoint.id, 2)
      assert.strictEqual(yield* recover(endpoint.id, 1), 0)
      yield* recover(endpoint.id)
      assert.strictEqual((yield* countOf(other.id)).dead, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect("a disabled, foreign or unknown endpoint is refused", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      yield* deadDeliveries(endpoint.id, 1)
      assert.strictEqual((yield* Effect.flip(recover(endpoint.id, 0, test)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(recover("wh_none")))._tag, "NotFound")
      yield* (yield* Endpoints).update(live, endpoint.id, { status: "disabled" })
      assert.strictEqual((yield* Effect.flip(recover(endpoint.id)))._tag, "EndpointDisabled")
      assert.deepStrictEqual(yield* countOf(endpoint.id), { pending: 0, dead: 1 })
    }).pipe(Effect.provide(world))
  )

  it.effect("what does not fit into one step goes on when that has gone out, at the same pace", () =>
    Effect.gen(function* () {
      const total = 2 * WebhookLimits.recoveryBatch + 7
      const endpoint = yield* createEndpoint()
      yield* deadDeliveries(endpoint.id, total)
      assert.strictEqual(yield* recover(endpoint.id), total)
      assert.deepStrictEqual(yield* countOf(endpoint.id), {
        pending: WebhookLimits.recoveryBatch,
        dead: total - WebhookLimits.recoveryBatch
      })
      assert.strictEqual(yield* workToEnd(), 2)
      const dueTimes = (yield* deliveriesOf(endpoint.id, live, total)).toReversed().map(({ dueAt }) => dueAt)
      assert.deepStrictEqual(
        dueTimes,
        Array.from({ length: total }, (_, place) => place * WebhookLimits.recoverySpacingMillis)
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("thousands of dead letters are all recovered, none twice (P19)", () =>
    Effect.gen(function* () {
      const total = caseCount(10_000, 100_000)
      const endpoint = yield* createEndpoint()
      yield* deadDeliveries(endpoint.id, total)
      assert.strictEqual(yield* recover(endpoint.id), total)
      assert.strictEqual(yield* workToEnd(), total / WebhookLimits.recoveryBatch)
      assert.deepStrictEqual(yield* countOf(endpoint.id), { pending: total, dead: 0 })
      // Nothing was sent meanwhile, so the last delivery is due one spacing before the total.
      assert.strictEqual(
        (yield* deliveriesOf(endpoint.id, live, 1))[0]?.dueAt,
        (total - 1) * WebhookLimits.recoverySpacingMillis
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a letter that dies anew, or died after the recovery began, is not revived by it", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const endpoint = yield* createEndpoint()
      yield* deadDeliveries(endpoint.id, WebhookLimits.recoveryBatch + 2)
      yield* recover(endpoint.id)
      yield* TestClock.setTime(1)
      const [first] = yield* store.claimDue({ lane: "retry", now: 1, limit: 1, leaseUntil: 10 })
      const dead = { ...first!.delivery, status: "dead_lettered" as const, dueAt: null, updatedAt: 1 }
      yield* store.settle([{ ...first!, delivery: dead, attempt: null }])
      yield* deadDeliveries(endpoint.id, 1)
      yield* workToEnd()
      assert.deepStrictEqual(yield* countOf(endpoint.id), { pending: WebhookLimits.recoveryBatch + 1, dead: 2 })
    }).pipe(Effect.provide(world))
  )

  it.effect("two recoveries at once, and somebody who redelivers by hand, revive each letter once", () =>
    Effect.gen(function* () {
      const total = WebhookLimits.recoveryBatch + 50
      const endpoint = yield* createEndpoint()
      const dead = yield* deadDeliveries(endpoint.id, total)
      assert.strictEqual(yield* recover(endpoint.id), total)
      assert.strictEqual(yield* recover(endpoint.id), 50)
      const last = dead.at(-1)!
      const refusal = yield* Effect.flip((yield* Deliveries).redeliver(live, endpoint.id, last.id))
      assert.strictEqual(refusal._tag, "DeliveryNotDeadLettered")
      yield* workToEnd()
      assert.deepStrictEqual(yield* countOf(endpoint.id), { pending: total, dead: 0 })
    }).pipe(Effect.provide(world))
  )

  it.effect("it ends when its endpoint is disabled or deleted", () =>
    Effect.gen(function* () {
      const endpoints = yield* Endpoints
      const total = WebhookLimits.recoveryBatch + 1
      const disabled = yield* createEndpoint(["message.completed"])
      yield* deadDeliveries(disabled.id, total)
      yield* recover(disabled.id)
      yield* endpoints.update(live, disabled.id, { status: "disabled" })
      const deleted = yield* createEndpoint(["message.completed"])
      yield* deadDeliveries(deleted.id, total)
      yield* recover(deleted.id)
      yield* endpoints.remove(live, deleted.id)
      assert.strictEqual(yield* workToEnd(), 2)
      assert.strictEqual((yield* countOf(disabled.id)).dead, 1)
      const left = yield* (yield* ResourceStore).page(live, Recovery.kind, [], {
        limit: 1,
        after: null,
        createdAfter: null,
        createdBefore: null
      })
      assert.deepStrictEqual(left.items, [])
    }).pipe(Effect.provide(world))
  )
})

describe("RecoveryWorker", () => {
  /** A worker of another process, killed as it writes its progress. */
  const killedWorker = Effect.map(
    Layer.build(
      Layer.fresh(RecoveryWorker.layer).pipe(
        Layer.provide(
          Layer.effect(
            ResourceStore,
            Effect.map(ResourceStore, (store) => ({
              ...store,
              compareAndSet: () => Effect.die("killed before the commit")
            }))
          )
        )
      )
    ),
    (context) => Context.get(context, RecoveryWorker.RecoveryWorker)
  )

  it.effect("a step that was killed did not happen, and another worker does it when the lease ends (P19)", () =>
    Effect.gen(function* () {
      const queue = yield* Queue
      const total = 3 * WebhookLimits.recoveryBatch
      const endpoint = yield* createEndpoint()
      yield* deadDeliveries(endpoint.id, total)
      yield* recover(endpoint.id)
      const dueAt = (yield* queue.nextDueAt(Recovery.topic)) ?? 0
      yield* TestClock.setTime(dueAt)
      assert.strictEqual(yield* (yield* killedWorker).runOnce, 1)
      assert.deepStrictEqual(yield* countOf(endpoint.id), {
        pending: WebhookLimits.recoveryBatch,
        dead: total - WebhookLimits.recoveryBatch
      })
      assert.strictEqual(yield* queue.nextDueAt(Recovery.topic), dueAt + WebhookLimits.recoveryLeaseMillis)
      yield* workToEnd()
      assert.deepStrictEqual(yield* countOf(endpoint.id), { pending: total, dead: 0 })
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.effect("without end: dispatcher and worker together bring all of it home, and fresh deliveries come first", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const total = 2 * WebhookLimits.recoveryBatch
      const endpoint = yield* createEndpoint()
      yield* deadDeliveries(endpoint.id, total)
      yield* recover(endpoint.id)
      for (let second = 1; second <= 20; second++) {
        yield* settleDown
        yield* TestClock.adjust("1 second")
        const [fresh] = yield* publish()
        yield* settleDown
        const ids = receiver.sent.map(({ request }) => request.headers["Service-Event-Id"])
        assert.include(ids, fresh?.id)
      }
      assert.deepStrictEqual(yield* countOf(endpoint.id), { pending: 0, dead: 0 })
      assert.strictEqual(receiver.sent.length, total + 20)
    }).pipe(
      (self) => Effect.flatMap(RecoveryWorker.RecoveryWorker, ({ forever }) => during(forever)(self)),
      (self) => Effect.flatMap(DeliveryDispatcher, ({ forever }) => during(forever)(self)),
      Effect.provide(world)
    )
  )
})
