import { assert, describe, it } from "@effect/vitest"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { Deliveries } from "@limbeck/webhooks/delivery/Deliveries"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { answer, hangs, Receiver } from "../support/Receiver.ts"
import {
  createEndpoint,
  deadDeliveries,
  deliveriesOf,
  deliveryOf,
  during,
  live,
  publish,
  settleDown,
  world
} from "../support/World.ts"

const atWork = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(DeliveryDispatcher, ({ forever }) => during(forever)(test))

const sentTo = (url: string) =>
  Effect.map(Receiver, ({ sent }) => sent.filter(({ request }) => request.url === url).length)

/** Redeliveries that are all due now. */
const redeliverAll = Effect.fnUntraced(function* (endpointId: string, count: number) {
  const deliveries = yield* Deliveries
  const dead = yield* deadDeliveries(endpointId, count)
  yield* Effect.forEach(dead, ({ id }) => deliveries.redeliver(live, endpointId, id))
})

/** The share of a workspace that is alone. */
const quickMax = sizeAlone(Pools.webhookAttempts.size)
const retryMax = sizeAlone(WebhookLimits.retryConcurrencyMax)

/** Endpoints that hang, each with its own URL, and enough of them to take every slot that the workspace may have. */
const manyHanging = Effect.forEach(
  Array.from({ length: quickMax / WebhookLimits.perEndpointRetryMax + 1 }).keys(),
  (number) => createEndpoint(["message.completed"], { url: `https://hanging.example/${number}` })
)

describe("DeliveryDispatcher, lanes", () => {
  it.effect("redeliveries that hang take half of all slots, and first attempts find room at once (P21)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers((request) => (request.url.includes("hanging") ? hangs(request) : Effect.succeed(answer(200))))
      const hanging = yield* manyHanging
      yield* publish("message.completed", { times: 10 })
      const store = yield* DeliveryStore
      const claimed = yield* store.claimDue({ lane: "first", now: 0, limit: 10_000, leaseUntil: 1 })
      yield* store.settle(
        claimed.map((one) => ({
          ...one,
          delivery: { ...one.delivery, status: "failed", attemptCount: 1 },
          attempt: null
        }))
      )
      assert.isAbove(claimed.length, quickMax)
      yield* atWork(
        Effect.gen(function* () {
          assert.strictEqual(receiver.sent.length, retryMax)
          const fresh = yield* createEndpoint(["distill.report.ready"], { url: "https://fresh.example/" })
          yield* publish("distill.report.ready", { times: 100 })
          yield* settleDown
          assert.strictEqual(yield* sentTo(fresh.url), 100)
          assert.strictEqual(receiver.sent.length, retryMax + 100)
          // And as soon as slots are free, the next retries go out.
          yield* TestClock.adjust("5 seconds")
          yield* settleDown
          assert.strictEqual(receiver.sent.length, 2 * retryMax + 100)
          assert.strictEqual(hanging.length, 65)
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "however many strangers hang, an endpoint that has answered is sent to at once, and a new one soon (P21)",
    () =>
      Effect.gen(function* () {
        const receiver = yield* Receiver
        receiver.answers((request) => (request.url.includes("hanging") ? hangs(request) : Effect.succeed(answer(200))))
        const known = yield* createEndpoint(["distill.report.ready"], { url: "https://known.example/" })
        yield* publish("distill.report.ready")
        yield* settleDown
        const count = quickMax
        for (let number = 0; number < count; number++) {
          yield* createEndpoint(["message.completed"], { url: `https://hanging.example/${number}` })
        }
        const stranger = yield* createEndpoint(["distill.report.ready"], { url: "https://new.example/" })
        const publishBoth = Effect.andThen(publish("message.completed"), publish("distill.report.ready", { times: 5 }))
        yield* publishBoth
        yield* settleDown
        assert.strictEqual(yield* sentTo(known.url), 6)
        const shared = sizeAlone(Pools.webhookAttempts.size - WebhookLimits.concurrencyReserved)
        assert.strictEqual(receiver.sent.filter(({ request }) => request.url.includes("hanging")).length, shared)
        assert.strictEqual(yield* sentTo(stranger.url), 0)
        yield* TestClock.adjust(WebhookLimits.slowMillis + WebhookLimits.slowLookMillis)
        yield* settleDown
        assert.strictEqual(yield* sentTo(stranger.url), 5)
        yield* TestClock.adjust("10 seconds")
        yield* settleDown

        yield* publishBoth
        yield* settleDown
        assert.strictEqual(yield* sentTo(known.url), 11)
        assert.strictEqual(yield* sentTo(stranger.url), 10)
      }).pipe(atWork, Effect.provide(world))
  )

  it.effect("at one endpoint too, a backlog of retries leaves room for what is fresh (P21)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const endpoint = yield* createEndpoint()
      yield* redeliverAll(endpoint.id, 200)
      receiver.answers(({ body }) => {
        const isRetry = new TextDecoder().decode(body).includes("message.completed")
        return isRetry ? Effect.delay(Effect.succeed(answer(500)), "4 seconds") : Effect.succeed(answer(200))
      })
      yield* atWork(
        Effect.gen(function* () {
          assert.strictEqual(receiver.sent.length, WebhookLimits.perEndpointRetryMax)
          yield* publish("distill.report.ready", { times: 50 })
          yield* settleDown
          assert.strictEqual(receiver.sent.length, WebhookLimits.perEndpointRetryMax + 50)
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("first attempts that are answered slowly leave retries their half of the endpoint", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const endpoint = yield* createEndpoint()
      yield* redeliverAll(endpoint.id, 100)
      yield* publish("distill.report.ready", { times: 100 })
      receiver.answers(() => Effect.delay(Effect.succeed(answer(500)), "5 seconds"))
      yield* atWork(
        Effect.gen(function* () {
          assert.strictEqual(receiver.sent.length, WebhookLimits.perEndpointMax)
          for (let round = 1; round <= 3; round++) {
            yield* TestClock.adjust("5 seconds")
            yield* settleDown
          }
          const types = receiver.sent.map(({ request }) => request.headers["Service-Event-Type"])
          const retries = types.filter((type) => type === "message.completed").length
          assert.isAtLeast(retries, 4 * (WebhookLimits.perEndpointRetryMax / 2))
          assert.isAtLeast(types.length - retries, 4 * (WebhookLimits.perEndpointRetryMax / 2))
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a retry is not sent before a first attempt that waits has found room, no matter which is older", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      yield* redeliverAll(endpoint.id, 3)
      yield* TestClock.setTime(10)
      yield* publish("distill.report.ready")
      assert.strictEqual(yield* (yield* DeliveryDispatcher).runOnce, 4)
      const statuses = (yield* deliveriesOf(endpoint.id)).map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["succeeded", "succeeded", "succeeded", "succeeded"])
    }).pipe(Effect.provide(world))
  )
})

describe("DeliveryDispatcher, takeover", () => {
  it.effect("what a dead process held is sent by another as soon as the leases end, within 15 seconds (P19)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const store = yield* DeliveryStore
      const endpoints = yield* Effect.forEach(Array.from({ length: 5 }), () => createEndpoint())
      yield* publish("message.completed", { times: 10 })
      // The dead process claimed everything and wrote nothing.
      const held = yield* store.claimDue({ lane: "first", now: 0, limit: 1_000, leaseUntil: WebhookLimits.leaseMillis })
      assert.strictEqual(held.length, 50)
      yield* atWork(
        Effect.gen(function* () {
          yield* TestClock.adjust(WebhookLimits.leaseMillis - 1)
          yield* settleDown
          assert.deepStrictEqual(receiver.sent, [])
          yield* TestClock.adjust("1 second")
          yield* settleDown
          const ids = receiver.sent.map(({ request }) => request.headers["Service-Delivery-Id"])
          assert.sameMembers(
            ids,
            held.map(({ delivery }) => delivery.id)
          )
          assert.isBelow(receiver.sent.at(-1)?.at ?? 0, 15_000)
          for (const { id } of endpoints) {
            const statuses = new Set((yield* deliveriesOf(id)).map(({ status }) => status))
            assert.deepStrictEqual(statuses, new Set(["succeeded"]))
          }
        })
      )
      const late = held.map((one) => ({
        ...one,
        delivery: { ...one.delivery, status: "failed" as const },
        attempt: null
      }))
      assert.strictEqual((yield* store.settle(late)).length, 50)
    }).pipe(Effect.provide(world))
  )

  it.effect("a retry that a dead process held keeps its number and its schedule", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const store = yield* DeliveryStore
      receiver.answers(() => Effect.succeed(answer(500)))
      const endpoint = yield* createEndpoint()
      yield* publish()
      yield* (yield* DeliveryDispatcher).runOnce
      yield* store.claimDue({ lane: "retry", now: 5_000, limit: 1, leaseUntil: 5_000 + WebhookLimits.leaseMillis })
      yield* TestClock.setTime(5_000 + WebhookLimits.leaseMillis)
      assert.strictEqual(yield* (yield* DeliveryDispatcher).runOnce, 1)
      assert.deepInclude(yield* deliveryOf(endpoint.id), { status: "failed", attemptCount: 2, dueAt: 30_000 })
    }).pipe(Effect.provide(world))
  )
})
