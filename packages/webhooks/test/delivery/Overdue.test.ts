import { assert, it } from "@effect/vitest"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Overdue from "@limbeck/webhooks/delivery/Overdue"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { createEndpoint, publish, world } from "../support/World.ts"

it.effect("the age of the oldest due delivery grows until a worker takes it, and again after its lease (P1672)", () =>
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    assert.strictEqual(yield* Overdue.oldestMillis, 0)
    yield* createEndpoint()
    yield* publish()
    yield* TestClock.adjust("90 seconds")
    yield* publish()
    assert.strictEqual(yield* Overdue.oldestMillis, 90_000)
    const now = yield* Clock.currentTimeMillis
    const claim = (limit: number) => Deliveries.claim(store, { now, limit, leaseUntil: now + 60_000 })
    assert.lengthOf(yield* claim(1), 1)
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* Overdue.oldestMillis, 10_000)
    const [second] = yield* claim(1)
    assert.strictEqual(yield* Overdue.oldestMillis, 0)
    assert.isDefined(second)
    yield* store.settle([Deliveries.successOf(second!)])
    yield* TestClock.adjust("55 seconds")
    assert.strictEqual(yield* Overdue.oldestMillis, 5_000)
  }).pipe(Effect.provide(world))
)
