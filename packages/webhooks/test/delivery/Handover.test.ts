import { assert, describe, it } from "@effect/vitest"
import { Events } from "@limbeck/core/events/Events"
import { Storage } from "@limbeck/core/storage/Storage"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { always, hangs, Receiver } from "../support/Receiver.ts"
import {
  anotherDispatcher,
  createEndpoint,
  deliveriesOf,
  deliveryOf,
  during,
  live,
  publish,
  settleDown,
  world
} from "../support/World.ts"

const received = Effect.map(Receiver, ({ sent }) => sent.length)

/** Runs the dispatcher of this process during the test. */
const dispatching = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(DeliveryDispatcher, ({ forever }) => during(forever)(test))

/** What could be claimed of first attempts at this moment; nothing is. */
const claimable = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const now = yield* Clock.currentTimeMillis
  return yield* store.claimDue({ lane: "first", now, limit: 1_000, leaseUntil: now + 1 })
})

describe("Handover", () => {
  it.effect("what this process publishes is sent at the commit, and nobody can claim it meanwhile (P19)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      yield* createEndpoint()
      const inside = Effect.gen(function* () {
        yield* publish("distill.run.succeeded", { times: 3 })
        assert.deepStrictEqual(yield* claimable, [])
        assert.strictEqual(yield* received, 0)
      })
      yield* storage.transaction(inside)
      yield* settleDown
      assert.strictEqual(yield* received, 3)
    }).pipe(dispatching, Effect.provide(world))
  )

  it.effect("what is rolled back is never sent", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      yield* createEndpoint()
      yield* Effect.flip(storage.transaction(Effect.andThen(publish(), Effect.fail("refused"))))
      yield* settleDown
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* received, 0)
    }).pipe(dispatching, Effect.provide(world))
  )

  it.effect("a commit that comes late in the lease gives the delivery back, and it is sent once (P19)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const endpoint = yield* createEndpoint()
      const slow = Effect.andThen(
        publish(),
        Effect.sleep(WebhookLimits.leaseMillis - WebhookLimits.attemptLeaseMillis + 1)
      )
      const fiber = yield* Effect.forkChild(storage.transaction(slow))
      yield* settleDown
      yield* TestClock.adjust(WebhookLimits.leaseMillis - WebhookLimits.attemptLeaseMillis + 1)
      yield* Fiber.join(fiber)
      yield* settleDown
      assert.strictEqual(yield* received, 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* received, 1)
      assert.deepInclude(yield* deliveryOf(endpoint.id), { status: "succeeded", attemptCount: 1 })
    }).pipe(dispatching, Effect.provide(world))
  )

  it.effect("an endpoint that hangs keeps its bound, and the others are sent at the commit", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const hanging = yield* createEndpoint(["*"], { url: "https://hanging.example/hook" })
      const healthy = yield* createEndpoint(["*"])
      receiver.answers((request) => (request.url.includes("hanging") ? hangs(request) : always(200)(request)))
      yield* publish("distill.run.succeeded", { times: WebhookLimits.perEndpointMax + 5 })
      yield* settleDown
      const toHanging = (yield* Receiver).sent.filter(({ request }) => request.url.includes("hanging"))
      assert.isAtMost(toHanging.length, WebhookLimits.perEndpointMax)
      const statuses = new Set((yield* deliveriesOf(healthy.id)).map(({ status }) => status))
      assert.deepStrictEqual(statuses, new Set(["succeeded"]))
      assert.strictEqual((yield* deliveriesOf(hanging.id)).length, WebhookLimits.perEndpointMax + 5)
    }).pipe(dispatching, Effect.provide(world))
  )

  it.effect("what an endpoint without room is to get is looked for when an attempt there ends, not before (P451)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers(hangs)
      yield* createEndpoint()
      const store = yield* DeliveryStore
      let looks = 0
      const counting: typeof store = {
        ...store,
        claimDue: (options) =>
          Effect.suspend(() => {
            looks++
            return store.claimDue(options)
          })
      }
      const dispatcher = yield* Effect.provideService(anotherDispatcher, DeliveryStore, counting)
      yield* during(dispatcher.forever)(
        Effect.gen(function* () {
          yield* settleDown
          yield* publish("message.completed", { times: WebhookLimits.perEndpointMax })
          yield* settleDown
          const before = looks
          for (let more = 0; more < 5; more++) yield* Effect.andThen(publish(), settleDown)
          assert.deepStrictEqual([looks, yield* received], [before, WebhookLimits.perEndpointMax])
          yield* TestClock.adjust("5 seconds")
          yield* settleDown
          assert.isAbove(looks, before)
          assert.isAbove(yield* received, WebhookLimits.perEndpointMax)
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a dispatcher that is stopped still sends what it was promised, and is promised no more", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { forever } = yield* DeliveryDispatcher
      const other = yield* anotherDispatcher
      const endpoint = yield* createEndpoint()
      const loop = yield* Effect.forkChild(forever)
      yield* settleDown
      yield* storage.transaction(Effect.andThen(publish(), Fiber.interrupt(loop)))
      yield* settleDown
      assert.strictEqual(yield* received, 1)
      yield* publish()
      assert.strictEqual(yield* received, 1)
      assert.strictEqual(yield* other.runOnce, 1)
      const all = yield* deliveriesOf(endpoint.id)
      assert.deepStrictEqual(
        all.map(({ status }) => status),
        ["succeeded", "succeeded"]
      )
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.effect("a large publish is handed over in part, and all of it is sent", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const endpoint = yield* createEndpoint()
      const object = { id: "run_1", object: "distill_run" }
      yield* events.publish(
        live,
        Array.from({ length: 2_000 }, () => ({ type: "distill.run.succeeded", object }))
      )
      yield* Effect.repeat(settleDown, { times: 40 })
      const statuses = (yield* deliveriesOf(endpoint.id, live, 2_000)).map(({ status }) => status)
      assert.strictEqual(statuses.filter((status) => status === "succeeded").length, 2_000)
      assert.strictEqual(yield* received, 2_000)
    }).pipe(dispatching, Effect.provide(world))
  )
})
