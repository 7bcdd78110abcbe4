import { assert, describe, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import { DeliveryStore, deliveryTopic } from "@limbeck/webhooks/delivery/DeliveryStore"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createEndpoint, deliveriesOf, live, publish, stranger, test, world } from "../support/World.ts"

const typesAt = (endpointId: string) =>
  Effect.map(deliveriesOf(endpointId), (deliveries) => deliveries.map(({ eventType }) => eventType).toReversed())

describe("WebhookFanout", () => {
  it.effect("an endpoint gets one delivery of every event that one of its patterns matches (P17)", () =>
    Effect.gen(function* () {
      const all = yield* createEndpoint(["*"])
      const exact = yield* createEndpoint(["distill.run.succeeded"])
      const runs = yield* createEndpoint(["distill.run.*"])
      const distill = yield* createEndpoint(["distill.*", "distill.run.*", "distill.run.succeeded"])
      const message = yield* createEndpoint(["message.*"])
      const published = ["distill.run.created", "distill.run.succeeded", "distill.report.ready", "message.completed"]
      yield* Effect.forEach(published, (type) => publish(type))
      assert.deepStrictEqual(yield* typesAt(all.id), published)
      assert.deepStrictEqual(yield* typesAt(exact.id), ["distill.run.succeeded"])
      assert.deepStrictEqual(yield* typesAt(runs.id), ["distill.run.created", "distill.run.succeeded"])
      assert.deepStrictEqual(yield* typesAt(distill.id), published.slice(0, 3))
      assert.deepStrictEqual(yield* typesAt(message.id), ["message.completed"])
    }).pipe(Effect.provide(world))
  )

  it.effect("endpoints share the event and have deliveries of their own", () =>
    Effect.gen(function* () {
      const endpoints = [yield* createEndpoint(), yield* createEndpoint()]
      const [event] = yield* publish()
      const deliveries = (yield* Effect.forEach(endpoints, ({ id }) => deliveriesOf(id))).flat()
      assert.deepStrictEqual(
        deliveries.map(({ eventId }) => eventId),
        [event?.id, event?.id]
      )
      assert.notStrictEqual(deliveries[0]?.id, deliveries[1]?.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("a disabled endpoint gets no new delivery, and gets them again once enabled", () =>
    Effect.gen(function* () {
      const endpoints = yield* Endpoints
      const { id } = yield* createEndpoint()
      yield* endpoints.update(live, id, { status: "disabled" })
      yield* publish("distill.run.created")
      yield* endpoints.update(live, id, { status: "enabled" })
      yield* publish("distill.run.succeeded")
      assert.deepStrictEqual(yield* typesAt(id), ["distill.run.succeeded"])
    }).pipe(Effect.provide(world))
  )

  it.effect("an event reaches no endpoint of another workspace or mode (P8)", () =>
    Effect.gen(function* () {
      const ours = yield* createEndpoint()
      const others = [
        [test, yield* createEndpoint(["*"], { partition: test })],
        [stranger, yield* createEndpoint(["*"], { partition: stranger })]
      ] as const
      yield* publish()
      assert.strictEqual((yield* deliveriesOf(ours.id)).length, 1)
      for (const [partition, { id }] of others) assert.deepStrictEqual(yield* deliveriesOf(id, partition), [])
    }).pipe(Effect.provide(world))
  )

  it.effect("deliveries exist only if the change that caused them is committed, and then workers are rung (P17)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const store = yield* DeliveryStore
      const bell = yield* (yield* Queue).doorbell(deliveryTopic)
      const { id } = yield* createEndpoint()
      yield* Effect.ignore(storage.transaction(Effect.andThen(publish(), Effect.fail("rolled back"))))
      assert.deepStrictEqual(yield* deliveriesOf(id), [])
      assert.isNull(yield* store.nextDueAt)
      assert.isTrue(Option.isNone(yield* Effect.timeoutOption(bell.await, 0)))

      yield* storage.transaction(publish())
      assert.strictEqual((yield* deliveriesOf(id)).length, 1)
      yield* bell.await
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
