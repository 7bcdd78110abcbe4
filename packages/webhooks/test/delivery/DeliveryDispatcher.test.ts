import { assert, describe, it } from "@effect/vitest"
import * as Page from "@limbeck/core/pages/Page"
import { Pools } from "@limbeck/core/pools/Pools"
import { isSigned } from "@limbeck/testing/fixtures/Signatures"
import { Deliveries } from "@limbeck/webhooks/delivery/Deliveries"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { always, answer, hangs, Receiver } from "../support/Receiver.ts"
import {
  anotherDispatcher,
  createEndpoint,
  deliveriesOf,
  deliveryOf,
  during,
  live,
  publish,
  settleDown,
  test,
  world,
  worldWith
} from "../support/World.ts"

const header = (name: string) =>
  Effect.map(Receiver, ({ sent }) => sent.map(({ request }) => request.headers[name] ?? "(absent)"))

const sentAt = Effect.map(Receiver, ({ sent }) => sent.map(({ at }) => at))

describe("DeliveryDispatcher, attempts", () => {
  it.effect(
    "six attempts are made at 0, 5, 30, 120, 600 and 1,800 seconds, and then the delivery is dead-lettered (P18)",
    () =>
      Effect.gen(function* () {
        const dispatcher = yield* DeliveryDispatcher
        const receiver = yield* Receiver
        receiver.answers(always(500))
        const endpoint = yield* createEndpoint()
        yield* publish()

        for (let second = 0; second <= 4_000; second++) {
          yield* TestClock.setTime(second * 1_000)
          yield* dispatcher.runOnce
        }
        assert.deepStrictEqual(yield* sentAt, [0, 5_000, 30_000, 120_000, 600_000, 1_800_000])

        const { id } = yield* deliveryOf(endpoint.id)
        const { attempts, delivery } = yield* (yield* Deliveries).detail(live, endpoint.id, id)
        assert.deepInclude(delivery, { status: "dead_lettered", attemptCount: 6, dueAt: null, lastResult: answer(500) })
        assert.deepStrictEqual(
          attempts.map(({ number, startedAt, trigger }) => [number, trigger, startedAt]),
          [
            [1, "automatic", 0],
            [2, "automatic", 5_000],
            [3, "automatic", 30_000],
            [4, "automatic", 120_000],
            [5, "automatic", 600_000],
            [6, "automatic", 1_800_000]
          ]
        )
      }).pipe(Effect.provide(world))
  )

  it.effect("no attempt is made a millisecond before it is due (P18)", () =>
    Effect.gen(function* () {
      const dispatcher = yield* DeliveryDispatcher
      ;(yield* Receiver).answers(always(500))
      yield* createEndpoint()
      yield* publish()
      assert.strictEqual(yield* dispatcher.runOnce, 1)
      yield* TestClock.setTime(4_999)
      assert.strictEqual(yield* dispatcher.runOnce, 0)
      yield* TestClock.setTime(5_000)
      assert.strictEqual(yield* dispatcher.runOnce, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("a retry waits for the attempt before it to end", () =>
    Effect.gen(function* () {
      const dispatcher = yield* DeliveryDispatcher
      const receiver = yield* Receiver
      receiver.answers(() => Effect.delay(Effect.succeed(answer(500)), "5500 millis"))
      const endpoint = yield* createEndpoint()
      yield* publish()
      const first = yield* Effect.forkChild(dispatcher.runOnce)
      yield* receiver.next
      yield* TestClock.setTime(5_500)
      yield* Fiber.join(first)
      assert.strictEqual((yield* deliveryOf(endpoint.id)).dueAt, 5_500)
    }).pipe(Effect.provide(world))
  )

  it.effect("a success is the last attempt", () =>
    Effect.gen(function* () {
      const dispatcher = yield* DeliveryDispatcher
      const receiver = yield* Receiver
      receiver.answers(() => Effect.succeed(answer(receiver.sent.length === 1 ? 503 : 204)))
      const endpoint = yield* createEndpoint()
      yield* publish()
      yield* dispatcher.runOnce
      assert.deepInclude(yield* deliveryOf(endpoint.id), { status: "failed", dueAt: 5_000 })
      yield* TestClock.setTime(5_000)
      yield* dispatcher.runOnce
      yield* TestClock.setTime(5_000_000)
      assert.strictEqual(yield* dispatcher.runOnce, 0)
      assert.deepInclude(yield* deliveryOf(endpoint.id), { status: "succeeded", attemptCount: 2, dueAt: null })
    }).pipe(Effect.provide(world))
  )

  it.effect("a host's own schedule is kept", () =>
    Effect.gen(function* () {
      const dispatcher = yield* DeliveryDispatcher
      ;(yield* Receiver).answers(always(500))
      const endpoint = yield* createEndpoint()
      yield* publish()
      yield* dispatcher.runOnce
      yield* TestClock.setTime(1_000)
      yield* dispatcher.runOnce
      assert.strictEqual((yield* deliveryOf(endpoint.id)).status, "dead_lettered")
    }).pipe(Effect.provide(worldWith({ schedule: { offsetsSeconds: [0, 1] } })))
  )
})

describe("DeliveryDispatcher, requests", () => {
  it.effect("the request is the event's stored bytes under the headers that receivers know (P20)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_795_000_000_987)
      const endpoint = yield* createEndpoint()
      const [event] = yield* publish()
      yield* (yield* DeliveryDispatcher).runOnce
      const { request } = yield* (yield* Receiver).next
      const delivery = yield* deliveryOf(endpoint.id)
      const { "Service-Signature": signature = "", ...headers } = request.headers
      assert.strictEqual(new TextDecoder().decode(request.body), event?.body)
      assert.deepInclude(request, { url: endpoint.url, livemode: true })
      assert.match(signature, /^t=1795000000,v1=[0-9a-f]{64}$/)
      assert.deepStrictEqual(headers, {
        "Content-Type": "application/json",
        "User-Agent": "Service-Webhooks/1.0",
        "Service-Event-Type": "distill.run.succeeded",
        "Service-Event-Id": delivery.eventId,
        "Service-Delivery-Id": delivery.id
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("a receiver that holds the endpoint's secret finds the signature valid, and another does not", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      yield* publish()
      yield* (yield* DeliveryDispatcher).runOnce
      const { request } = yield* (yield* Receiver).next
      const [signature = ""] = yield* header("Service-Signature")
      assert.isTrue(isSigned(signature, endpoint.secret, request.body))
      assert.isFalse(isSigned(signature, `${endpoint.secret}x`, request.body))
    }).pipe(Effect.provide(world))
  )

  it.effect("a host's own brand names the headers", () =>
    Effect.gen(function* () {
      yield* createEndpoint()
      yield* publish()
      yield* (yield* DeliveryDispatcher).runOnce
      assert.deepStrictEqual(yield* header("User-Agent"), ["Acme-Webhooks/1.0"])
      assert.deepStrictEqual(yield* header("Acme-Event-Type"), ["distill.run.succeeded"])
    }).pipe(Effect.provide(worldWith({ brand: "Acme" })))
  )

  it.effect("the sender is told the mode, which decides where it may connect", () =>
    Effect.gen(function* () {
      yield* createEndpoint(["*"], { partition: test, url: "http://localhost:3000/hook" })
      yield* publish("distill.run.created", { partition: test })
      yield* (yield* DeliveryDispatcher).runOnce
      assert.isFalse((yield* (yield* Receiver).next).request.livemode)
    }).pipe(Effect.provide(world))
  )
})

describe("DeliveryDispatcher, endpoints that are no more", () => {
  it.effect("a delivery whose endpoint is disabled when it comes due is dead-lettered without an attempt", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      yield* publish()
      yield* (yield* Endpoints).update(live, endpoint.id, { status: "disabled" })
      assert.strictEqual(yield* (yield* DeliveryDispatcher).runOnce, 1)
      const delivery = yield* deliveryOf(endpoint.id)
      assert.deepInclude(delivery, { status: "dead_lettered", attemptCount: 0, dueAt: null })
      assert.strictEqual(delivery.lastResult.error, "endpoint_disabled")
      const { attempts } = yield* (yield* Deliveries).detail(live, endpoint.id, delivery.id)
      assert.deepStrictEqual(attempts, [])
      assert.deepStrictEqual(yield* sentAt, [])
    }).pipe(Effect.provide(world))
  )

  it.effect("the deliveries of a deleted endpoint are dropped", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const endpoint = yield* createEndpoint()
      yield* publish()
      yield* (yield* Endpoints).remove(live, endpoint.id)
      yield* (yield* DeliveryDispatcher).runOnce
      assert.deepStrictEqual(yield* sentAt, [])
      assert.isNull(yield* store.nextDueAt)
      const filter = { endpointId: endpoint.id, status: null, eventType: null }
      const error = yield* Effect.flip((yield* Deliveries).page(live, filter, Page.firstPage(20)))
      assert.strictEqual(error._tag, "NotFound")
    }).pipe(Effect.provide(world))
  )
})

describe("DeliveryDispatcher, leases", () => {
  it.effect("two dispatchers never attempt one delivery at the same time (P19)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const one = yield* DeliveryDispatcher
      const other = yield* anotherDispatcher
      receiver.answers(hangs)
      yield* createEndpoint()
      yield* publish()
      const first = yield* Effect.forkChild(one.runOnce)
      yield* receiver.next
      assert.strictEqual(yield* other.runOnce, 0)
      yield* TestClock.setTime(4_999)
      assert.strictEqual(yield* other.runOnce, 0)
      yield* TestClock.setTime(5_000)
      yield* Fiber.join(first)
      assert.strictEqual(receiver.sent.length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("two dispatchers share what is due, and each delivery is sent once", () =>
    Effect.gen(function* () {
      const one = yield* DeliveryDispatcher
      const other = yield* anotherDispatcher
      yield* Effect.forEach(Array.from({ length: 20 }), () => createEndpoint())
      yield* publish("message.completed", { times: 3 })
      const counts = yield* Effect.all([one.runOnce, other.runOnce], { concurrency: "unbounded" })
      const ids = yield* header("Service-Delivery-Id")
      assert.strictEqual(counts[0] + counts[1], 60)
      assert.strictEqual(new Set(ids).size, 60)
    }).pipe(Effect.provide(world))
  )

  it.effect("an outcome that comes after its lease has passed to another is refused and changes nothing (P19)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const slow = yield* DeliveryDispatcher
      const other = yield* anotherDispatcher
      const late = yield* Deferred.make<void>()
      // Breaks the sender's promise to end within the attempt limit, as a process does that was stopped meanwhile.
      receiver.answers(() => Effect.as(Deferred.await(late), answer(500)))
      const endpoint = yield* createEndpoint()
      yield* publish()
      const stopped = yield* Effect.forkChild(slow.runOnce)
      yield* receiver.next
      receiver.answers(always(200))
      yield* TestClock.setTime(WebhookLimits.leaseMillis)
      assert.strictEqual(yield* other.runOnce, 1)
      yield* Deferred.succeed(late, undefined)
      yield* Fiber.join(stopped)

      const { attempts, delivery } = yield* (yield* Deliveries).detail(
        live,
        endpoint.id,
        (yield* deliveryOf(endpoint.id)).id
      )
      assert.deepInclude(delivery, { status: "succeeded", attemptCount: 1, lastResult: answer(200) })
      assert.strictEqual(attempts.length, 1)
    }).pipe(Effect.provide(world))
  )

  /** A storage in front of which the process dies: the first outcome is lost. */
  const losesFirstSettle = Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) => {
      let lost = false
      const settle: typeof store.settle = (settlements) => {
        if (lost) return store.settle(settlements)
        lost = true
        return Effect.die("killed between send and settle")
      }
      return { ...store, settle }
    })
  )

  it.effect("an attempt that was made but not recorded is made again when its lease ends (P19)", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      yield* publish()
      const dispatcher = yield* anotherDispatcher.pipe(Effect.provide(losesFirstSettle))
      assert.strictEqual(yield* dispatcher.runOnce, 1)
      assert.strictEqual((yield* deliveryOf(endpoint.id)).attemptCount, 0)
      yield* TestClock.setTime(WebhookLimits.leaseMillis - 1)
      assert.strictEqual(yield* dispatcher.runOnce, 0)
      yield* TestClock.setTime(WebhookLimits.leaseMillis)
      assert.strictEqual(yield* dispatcher.runOnce, 1)
      assert.deepInclude(yield* deliveryOf(endpoint.id), { status: "succeeded", attemptCount: 1 })
      const ids = yield* header("Service-Delivery-Id")
      assert.strictEqual(ids.length, 2)
      assert.strictEqual(ids[0], ids[1])
    }).pipe(Effect.provide(world))
  )
})

describe("DeliveryDispatcher, without end", () => {
  /** A dispatcher at work during the test. */
  const atWork = <A, E, R>(test: Effect.Effect<A, E, R>) =>
    Effect.flatMap(DeliveryDispatcher, (dispatcher) => during(dispatcher.forever)(test))

  it.effect("a published event is sent at once, and its retries when they are due", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers(always(500))
      yield* createEndpoint()
      yield* publish()
      assert.strictEqual((yield* receiver.next).at, 0)
      for (const due of [5_000, 30_000, 120_000, 600_000, 1_800_000]) {
        yield* settleDown
        yield* TestClock.setTime(due)
        assert.strictEqual((yield* receiver.next).at, due)
      }
    }).pipe(atWork, Effect.provide(world))
  )

  it.effect(
    "a retry that a clock ahead has put off is sent at the start, and once the clock has gone back (P123)",
    () =>
      Effect.gen(function* () {
        const receiver = yield* Receiver
        receiver.answers(always(500))
        yield* createEndpoint()
        const ahead = 25 * 3_600_000
        yield* TestClock.setTime(ahead)
        yield* publish()
        yield* (yield* DeliveryDispatcher).runOnce
        yield* TestClock.setTime(0)
        const untilSent = Effect.gen(function* () {
          yield* settleDown
          assert.deepStrictEqual(yield* sentAt, [ahead, 0])
          yield* TestClock.setTime(ahead)
          const [late] = yield* publish()
          yield* settleDown
          yield* TestClock.setTime(0)
          // More than is sent at once: the rest rings the dispatcher, which sleeps by the other clock.
          yield* publish("distill.run.succeeded", { times: 40 })
          yield* settleDown
          const times = receiver.sent.filter(({ request }) => request.headers["Service-Event-Id"] === late?.id)
          assert.deepStrictEqual(
            times.map(({ at }) => at),
            [ahead, 0]
          )
        })
        yield* atWork(untilSent)
      }).pipe(Effect.provide(world))
  )

  it.effect("an attempt that ends when its retry is due already is followed by it at once", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers(() => Effect.delay(Effect.succeed(answer(500)), "5200 millis"))
      yield* createEndpoint()
      yield* publish()
      yield* receiver.next
      yield* settleDown
      yield* TestClock.setTime(5_200)
      yield* settleDown
      assert.deepStrictEqual(yield* sentAt, [0, 5_200])
    }).pipe(atWork, Effect.provide(world))
  )

  it.effect("an endpoint that hangs, with a backlog larger than all slots, delays no other (P21)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers((request) => (request.url.includes("hanging") ? hangs(request) : Effect.succeed(answer(200))))
      const hanging = yield* createEndpoint(["distill.run.*"], { url: "https://hanging.example/" })
      const healthy = yield* createEndpoint(["message.completed"], { url: "https://healthy.example/" })
      yield* publish("distill.run.created", { times: Pools.webhookAttempts.size + 100 })
      yield* settleDown
      assert.strictEqual(receiver.sent.length, WebhookLimits.perEndpointMax)

      yield* publish("message.completed", { times: 40 })
      yield* settleDown
      const statuses = (yield* deliveriesOf(healthy.id)).map(({ status }) => status)
      assert.deepStrictEqual(new Set(statuses), new Set(["succeeded"]))
      assert.strictEqual(statuses.length, 40)

      // The endpoint gets one attempt at a time until it responds; then its whole share again.
      const toHanging = () => receiver.sent.filter(({ request }) => request.url === hanging.url).length
      yield* TestClock.adjust("5 seconds")
      yield* settleDown
      assert.strictEqual(toHanging(), WebhookLimits.perEndpointMax + 1)
      receiver.answers(() => Effect.delay(Effect.succeed(answer(500)), "6 seconds"))
      yield* TestClock.adjust("5 seconds")
      yield* settleDown
      assert.strictEqual(toHanging(), WebhookLimits.perEndpointMax + 2)
      yield* TestClock.adjust("6 seconds")
      yield* settleDown
      assert.strictEqual(toHanging(), 2 * WebhookLimits.perEndpointMax + 2)
    }).pipe(atWork, Effect.provide(world))
  )

  it.effect("stopped, it claims no more, ends what is under way and writes it down", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers(() => Effect.delay(Effect.succeed(answer(200)), "3 seconds"))
      const endpoint = yield* createEndpoint()
      const process = yield* Effect.forkChild(
        Effect.scoped(Effect.flatMap(anotherDispatcher, (dispatcher) => dispatcher.forever))
      )
      yield* settleDown
      yield* publish()
      yield* receiver.next
      const stopping = yield* Effect.forkChild(Fiber.interrupt(process))
      yield* settleDown
      yield* publish("message.completed")
      yield* TestClock.setTime(3_000)
      yield* Fiber.join(stopping)
      const statuses = (yield* deliveriesOf(endpoint.id)).map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["pending", "succeeded"])
      assert.strictEqual(receiver.sent.length, 1)
    }).pipe(Effect.provide(world))
  )
})
