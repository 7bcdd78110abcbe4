import { assert, describe, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Page from "@limbeck/core/pages/Page"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { always, answer, Receiver } from "../support/Receiver.ts"
import { createEndpoint, deliveriesOf, live, publish, world, worldWith } from "../support/World.ts"

const day = 24 * 3_600_000
const watched = worldWith({ disableAfterDays: 3 })

/** Runs the dispatcher at each due time up to `until`. */
const runUntil = Effect.fnUntraced(function* (until: number) {
  const dispatcher = yield* DeliveryDispatcher
  for (const offset of [0, 5, 30, 120, 600, 1_800]) {
    yield* TestClock.setTime(until - 1_800_000 + offset * 1_000)
    yield* dispatcher.runOnce
  }
})

/** Publishes an event and makes all six attempts. */
const deliver = Effect.gen(function* () {
  yield* publish()
  yield* runUntil((yield* Clock.currentTimeMillis) + 1_800_000)
})

const statusOf = (id: string) =>
  Effect.flatMap(Endpoints, (endpoints) => Effect.map(endpoints.get(live, id), ({ endpoint }) => endpoint.status))

const disabledEvents = Effect.flatMap(EventStore, (events) =>
  Effect.map(events.page(live, "webhook_endpoint.disabled", Page.firstPage(10)), ({ items }) => items)
)

describe("AutoDisable", () => {
  it.effect("an endpoint whose every attempt failed for the days that are set is disabled, and others are told", () =>
    Effect.gen(function* () {
      ;(yield* Receiver).answers(({ url }) => Effect.succeed(answer(url.includes("broken") ? 500 : 200)))
      const broken = yield* createEndpoint(["distill.*"], { url: "https://broken.example/" })
      const other = yield* createEndpoint(["webhook_endpoint.*"])
      yield* TestClock.setTime(1_000)
      for (const days of [0, 1, 2]) {
        yield* TestClock.setTime(1_000 + days * day)
        yield* deliver
        assert.strictEqual(yield* statusOf(broken.id), "enabled")
      }
      yield* TestClock.setTime(1_000 + 3 * day)
      yield* deliver
      assert.strictEqual(yield* statusOf(broken.id), "disabled")
      const [event, ...more] = yield* disabledEvents
      assert.deepStrictEqual(more, [])
      assert.deepInclude(JSON.parse(event?.body ?? "{}").data.object, {
        id: broken.id,
        object: "webhook_endpoint",
        status: "disabled"
      })
      assert.strictEqual((yield* deliveriesOf(other.id)).length, 1)
      yield* publish()
      assert.strictEqual((yield* deliveriesOf(broken.id)).length, 4)
    }).pipe(Effect.provide(watched))
  )

  it.effect("one success within the days is enough", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const endpoint = yield* createEndpoint()
      for (const [days, status] of [
        [0, 500],
        [1, 200],
        [2, 500],
        [3, 500],
        [3.9, 500]
      ] as const) {
        receiver.answers(always(status))
        yield* TestClock.setTime(1_000 + days * day)
        yield* deliver
      }
      assert.strictEqual(yield* statusOf(endpoint.id), "enabled")
    }).pipe(Effect.provide(watched))
  )

  it.effect("a single failure after a quiet month is no reason", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const endpoint = yield* createEndpoint()
      yield* TestClock.setTime(day)
      yield* deliver
      receiver.answers(always(500))
      yield* TestClock.setTime(31 * day)
      yield* deliver
      assert.strictEqual(yield* statusOf(endpoint.id), "enabled")
    }).pipe(Effect.provide(watched))
  )

  it.effect("an endpoint that is enabled again has its days from the start", () =>
    Effect.gen(function* () {
      ;(yield* Receiver).answers(always(500))
      const endpoint = yield* createEndpoint()
      for (const days of [1, 5]) {
        yield* TestClock.setTime(days * day)
        yield* deliver
      }
      assert.strictEqual(yield* statusOf(endpoint.id), "disabled")
      yield* (yield* Endpoints).update(live, endpoint.id, { status: "enabled" })
      yield* TestClock.setTime(6 * day)
      yield* deliver
      assert.strictEqual(yield* statusOf(endpoint.id), "enabled")
      yield* TestClock.setTime(9 * day)
      yield* deliver
      assert.strictEqual(yield* statusOf(endpoint.id), "disabled")
      assert.strictEqual((yield* disabledEvents).length, 2)
    }).pipe(Effect.provide(watched))
  )

  it.effect("unless it is set, nothing is ever disabled", () =>
    Effect.gen(function* () {
      ;(yield* Receiver).answers(always(500))
      const endpoint = yield* createEndpoint()
      for (const days of [1, 100]) {
        yield* TestClock.setTime(days * day)
        yield* deliver
      }
      assert.strictEqual(yield* statusOf(endpoint.id), "enabled")
    }).pipe(Effect.provide(world))
  )
})
