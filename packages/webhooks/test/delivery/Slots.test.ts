import { assert, describe, it } from "@effect/vitest"
import * as Slots from "@limbeck/webhooks/delivery/Slots"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const take = (slots: Slots.Slots, endpointId: string, times: number) => {
  for (let i = 0; i < times; i++) slots.take(endpointId)
}

const isWaiting = Effect.fnUntraced(function* (effect: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
  yield* Effect.yieldNow
  const waits = fiber.pollUnsafe() === undefined
  yield* Fiber.interrupt(fiber)
  return waits
})

describe("Slots", () => {
  it("an endpoint is crowded once another claim could pass its bound", () => {
    const slots = Slots.make({ max: 100, perEndpointMax: 4, perEndpointClaimMax: 2 })
    take(slots, "a", 2)
    assert.deepStrictEqual(slots.crowded(), [])
    take(slots, "a", 1)
    assert.deepStrictEqual(slots.crowded(), ["a"])
    slots.give("a")
    assert.deepStrictEqual(slots.crowded(), [])
  })

  it.effect("after being full it waits until a quarter is free again", () =>
    Effect.gen(function* () {
      const slots = Slots.make({ max: 8, perEndpointMax: 8, perEndpointClaimMax: 8 })
      assert.isFalse(yield* isWaiting(slots.awaitRoom))
      take(slots, "a", 8)
      slots.give("a")
      assert.strictEqual(slots.free(), 1)
      assert.isTrue(yield* isWaiting(slots.awaitRoom))
      slots.give("a")
      assert.isFalse(yield* isWaiting(slots.awaitRoom))
    })
  )

  it("it tells when a crowded endpoint has room again", () => {
    const slots = Slots.make({ max: 8, perEndpointMax: 4, perEndpointClaimMax: 2 })
    take(slots, "a", 4)
    assert.deepStrictEqual([slots.give("a"), slots.give("a"), slots.give("a")], [false, true, false])
  })

  it.effect("it is idle when all is given back", () =>
    Effect.gen(function* () {
      const slots = Slots.make({ max: 8, perEndpointMax: 4, perEndpointClaimMax: 2 })
      assert.isFalse(yield* isWaiting(slots.awaitIdle))
      slots.take("a")
      assert.isTrue(yield* isWaiting(slots.awaitIdle))
      slots.give("a")
      assert.isFalse(yield* isWaiting(slots.awaitIdle))
    })
  )
})
