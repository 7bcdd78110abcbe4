import { assert, describe, it } from "@effect/vitest"
import { Deliveries } from "@limbeck/webhooks/delivery/Deliveries"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { always, answer, Receiver } from "../support/Receiver.ts"
import { createEndpoint, deadDeliveries, deliveryOf, live, publish, stranger, test, world } from "../support/World.ts"

const offsets = [0, 5, 30, 120, 600, 1_800]

/** Runs the dispatcher at each attempt time of a cycle that begins at `startedAt`. */
const cycle = Effect.fnUntraced(function* (startedAt: number) {
  const dispatcher = yield* DeliveryDispatcher
  for (const offset of offsets) {
    yield* TestClock.setTime(startedAt + offset * 1_000)
    yield* dispatcher.runOnce
  }
})

const redeliver = (endpointId: string, id: string, partition = live) =>
  Effect.flatMap(Deliveries, (deliveries) => deliveries.redeliver(partition, endpointId, id))

describe("Deliveries, redelivery", () => {
  it.effect("a dead letter gets six more attempts, on the same schedule, and its attempts go on counting (P18)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers(always(500))
      const endpoint = yield* createEndpoint()
      yield* publish()
      yield* cycle(0)
      const dead = yield* deliveryOf(endpoint.id)
      assert.deepInclude(dead, { status: "dead_lettered", attemptCount: 6 })

      const startedAt = 10_000_000
      yield* TestClock.setTime(startedAt)
      const again = yield* redeliver(endpoint.id, dead.id)
      assert.deepInclude(again, { status: "pending", attemptCount: 6, dueAt: startedAt, updatedAt: startedAt })
      assert.deepStrictEqual(yield* deliveryOf(endpoint.id), again)
      yield* cycle(startedAt)

      const { attempts, delivery } = yield* (yield* Deliveries).detail(live, endpoint.id, dead.id)
      assert.deepInclude(delivery, { status: "dead_lettered", attemptCount: 12, dueAt: null })
      assert.deepStrictEqual(
        attempts.slice(6).map(({ number, startedAt, trigger }) => [number, trigger, startedAt]),
        offsets.map((offset, index) => [7 + index, "manual", startedAt + offset * 1_000])
      )
      const ids = receiver.sent.map(({ request }) => request.headers["Service-Delivery-Id"])
      assert.deepStrictEqual(new Set(ids), new Set([dead.id]))
    }).pipe(Effect.provide(world))
  )

  it.effect("one that succeeds is done, and cannot be redelivered any more", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      const [dead] = yield* deadDeliveries(endpoint.id, 1)
      yield* redeliver(endpoint.id, dead!.id)
      yield* (yield* DeliveryDispatcher).runOnce
      assert.deepInclude(yield* deliveryOf(endpoint.id), {
        status: "succeeded",
        attemptCount: 1,
        lastResult: answer(200)
      })
      assert.strictEqual((yield* Effect.flip(redeliver(endpoint.id, dead!.id)))._tag, "DeliveryNotDeadLettered")
    }).pipe(Effect.provide(world))
  )

  it.effect("one that is not dead-lettered is left as it is", () =>
    Effect.gen(function* () {
      ;(yield* Receiver).answers(always(500))
      const endpoint = yield* createEndpoint()
      yield* publish()
      for (const status of ["pending", "failed"]) {
        const before = yield* deliveryOf(endpoint.id)
        assert.strictEqual(before.status, status)
        const refusal = yield* Effect.flip(redeliver(endpoint.id, before.id))
        assert.deepInclude(refusal, { _tag: "DeliveryNotDeadLettered", id: before.id, status })
        assert.deepStrictEqual(yield* deliveryOf(endpoint.id), before)
        yield* (yield* DeliveryDispatcher).runOnce
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("of many who ask at once, one is heard", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      const [dead] = yield* deadDeliveries(endpoint.id, 1)
      const asked = Array.from({ length: 10 }, () => Effect.result(redeliver(endpoint.id, dead!.id)))
      const answers = yield* Effect.all(asked, { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Success").length, 1)
      assert.strictEqual(yield* (yield* DeliveryDispatcher).runOnce, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("it may be asked for 30 days, and then it is gone", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      const [one, other] = yield* deadDeliveries(endpoint.id, 2)
      yield* TestClock.setTime(WebhookLimits.redeliveryMillis)
      yield* redeliver(endpoint.id, one!.id)
      yield* TestClock.setTime(WebhookLimits.redeliveryMillis + 1)
      assert.strictEqual((yield* Effect.flip(redeliver(endpoint.id, other!.id)))._tag, "DeliveryTooOld")
    }).pipe(Effect.provide(world))
  )

  it.effect("a disabled endpoint is not redelivered to until it is enabled", () =>
    Effect.gen(function* () {
      const endpoints = yield* Endpoints
      const endpoint = yield* createEndpoint()
      const [dead] = yield* deadDeliveries(endpoint.id, 1)
      yield* endpoints.update(live, endpoint.id, { status: "disabled" })
      const refusal = yield* Effect.flip(redeliver(endpoint.id, dead!.id))
      assert.deepInclude(refusal, { _tag: "EndpointDisabled", id: endpoint.id })
      yield* endpoints.update(live, endpoint.id, { status: "enabled" })
      yield* redeliver(endpoint.id, dead!.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("what is another's, or another endpoint's, is not there", () =>
    Effect.gen(function* () {
      const endpoint = yield* createEndpoint()
      const other = yield* createEndpoint(["distill.report.ready"])
      const [dead] = yield* deadDeliveries(endpoint.id, 1)
      const asked = [
        redeliver(endpoint.id, dead!.id, test),
        redeliver(endpoint.id, dead!.id, stranger),
        redeliver(other.id, dead!.id),
        redeliver(endpoint.id, "del_none"),
        redeliver("wh_none", dead!.id)
      ]
      for (const one of asked) assert.strictEqual((yield* Effect.flip(one))._tag, "NotFound")
    }).pipe(Effect.provide(world))
  )
})
