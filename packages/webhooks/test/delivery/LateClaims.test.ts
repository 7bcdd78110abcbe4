import { assert, it } from "@effect/vitest"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { hangs, Receiver } from "../support/Receiver.ts"
import { anotherDispatcher, createEndpoint, publish, settleDown, world } from "../support/World.ts"

/** A storage with claims that take 8 seconds, which leaves 2 seconds of the lease. */
const slowClaims = Layer.effect(
  DeliveryStore,
  Effect.map(DeliveryStore, (store) => {
    const claimDue: typeof store.claimDue = (options) =>
      Effect.tap(store.claimDue(options), ({ length }) => (length > 0 ? Effect.sleep("8 seconds") : Effect.void))
    return { ...store, claimDue }
  })
)

it.effect("a claim that comes late in its lease is given back: no attempt outlives its lease (P19)", () =>
  Effect.gen(function* () {
    const receiver = yield* Receiver
    receiver.answers(hangs)
    yield* createEndpoint()
    yield* publish()
    const slow = yield* anotherDispatcher.pipe(Effect.provide(slowClaims))
    const other = yield* anotherDispatcher
    const late = yield* Effect.forkChild(slow.runOnce)
    yield* settleDown
    yield* TestClock.adjust("10 seconds")
    const inTime = yield* Effect.forkChild(other.runOnce)
    yield* settleDown
    yield* TestClock.adjust("30 seconds")
    yield* Fiber.join(late)
    yield* Fiber.join(inTime)
    // Each attempt takes 5 s.
    const times = receiver.sent.map(({ at }) => at)
    assert.isTrue(times.slice(1).every((at, index) => at >= times[index]! + 5_000))
  }).pipe(Effect.provide(world))
)
