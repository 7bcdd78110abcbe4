import { assert, describe, it } from "@effect/vitest"
import type { Lane } from "@limbeck/webhooks/delivery/Delivery"
import * as Slots from "@limbeck/webhooks/delivery/Slots"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const take = (slots: Slots.Slots, endpointId: string, times: number, lane: Lane = "first") => {
  for (let i = 0; i < times; i++) slots.take(endpointId, lane)
}

const make = (max: number, perEndpointMax: number, perEndpointClaimMax: number) =>
  Slots.make({
    max,
    retryMax: max / 2,
    perEndpointMax,
    perEndpointRetryMax: perEndpointMax / 2,
    perEndpointClaimMax: { first: perEndpointClaimMax, retry: perEndpointClaimMax / 2 }
  })

const isWaiting = Effect.fnUntraced(function* (effect: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
  yield* Effect.yieldNow
  const waits = fiber.pollUnsafe() === undefined
  yield* Fiber.interrupt(fiber)
  return waits
})

describe("Slots", () => {
  it("an endpoint is crowded once another claim could pass its bound", () => {
    const slots = make(100, 4, 2)
    take(slots, "a", 2)
    assert.deepStrictEqual(slots.crowded("first"), [])
    take(slots, "a", 1)
    assert.deepStrictEqual(slots.crowded("first"), ["a"])
    slots.give("a", "first")
    assert.deepStrictEqual(slots.crowded("first"), [])
  })

  it.effect("after being full it waits until a quarter is free again", () =>
    Effect.gen(function* () {
      const slots = make(8, 8, 8)
      assert.isFalse(yield* isWaiting(slots.awaitRoom))
      take(slots, "a", 8)
      slots.give("a", "first")
      assert.strictEqual(slots.free("first"), 1)
      assert.isTrue(yield* isWaiting(slots.awaitRoom))
      slots.give("a", "first")
      assert.isFalse(yield* isWaiting(slots.awaitRoom))
    })
  )

  it("it tells when a crowded endpoint has room again", () => {
    const slots = make(8, 4, 2)
    take(slots, "a", 4)
    assert.deepStrictEqual(
      [slots.give("a", "first"), slots.give("a", "first"), slots.give("a", "first")],
      [false, true, false]
    )
  })

  it.effect("it is idle when all is given back", () =>
    Effect.gen(function* () {
      const slots = make(8, 4, 2)
      assert.isFalse(yield* isWaiting(slots.awaitIdle))
      slots.take("a", "first")
      assert.isTrue(yield* isWaiting(slots.awaitIdle))
      slots.give("a", "first")
      assert.isFalse(yield* isWaiting(slots.awaitIdle))
    })
  )

  it("retries have half of the room, in all and per endpoint, and first attempts what retries leave", () => {
    const slots = make(16, 8, 4)
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [16, 8])
    take(slots, "a", 3, "retry")
    assert.deepStrictEqual([slots.crowded("first"), slots.crowded("retry")], [[], ["a"]])
    take(slots, "b", 3, "first")
    assert.deepStrictEqual(slots.crowded("retry"), ["a"])
    take(slots, "c", 5, "retry")
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [5, 0])
    assert.isTrue(slots.isTight())
  })

  it("it tells when retries have room again, in all or at an endpoint", () => {
    const slots = make(16, 16, 2)
    take(slots, "a", 8, "retry")
    const gives = Array.from({ length: 4 }, () => slots.give("a", "retry"))
    // From 8 to 7 the endpoint has room for one claim; from 7 to 6 a quarter of all is free.
    assert.deepStrictEqual(gives, [true, true, false, false])
    assert.isFalse(slots.isTight())
  })

  it("a full lane leaves the other as it is", () => {
    const slots = make(16, 16, 2)
    take(slots, "a", 8, "first")
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [8, 8])
    take(slots, "b", 8, "retry")
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [0, 0])
    assert.deepStrictEqual(slots.crowded("first"), [])
  })
})
