// Attempts are shared by workspace: what one has under way leaves slots for the others.
import { assert, describe, it } from "@effect/vitest"
import { WorkspaceId } from "@limbeck/core/ids/Id"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { SlotBounds } from "../../src/delivery/internal/SlotRules.ts"
import * as Slots from "../../src/delivery/internal/Slots.ts"
import { answer, hangs, Receiver } from "../support/Receiver.ts"
import { createEndpoint, during, publish, settleDown, stranger, world } from "../support/World.ts"

const bounds: SlotBounds = {
  max: 8,
  reserved: 0,
  retryMax: 4,
  perEndpointMax: 16,
  perEndpointRetryMax: 8,
  perEndpointClaimMax: { first: 8, retry: 4 },
  swiftClaimMax: 3,
  lineMax: 4,
  waitingMax: 6,
  slowMillis: 500,
  slowMax: { first: 32, retry: 16 },
  silentMax: 30,
  respondingMax: 30,
  swiftMax: 30
}

const workspaceOf = (name: number) => WorkspaceId.make(`ws_${String(name).padStart(26, "0")}`)

/** A workspace whose attempts never end takes what it can get, as time goes by; returns how many it has then. */
const fill = (slots: Slots.Slots, workspace: number, lane: "first" | "retry") => {
  let count = 0
  for (let at = 0; at < 20; at++) {
    for (let n = 0; n < bounds.slowMax.first; n++) {
      const ref = { id: `${workspace}-${at}-${n}`, workspace: workspaceOf(workspace) }
      if (slots.take(ref, lane, at * bounds.slowMillis) !== null) count++
    }
    slots.age((at + 1) * bounds.slowMillis)
  }
  return count
}

describe("shares of workspaces in attempts", () => {
  it("a workspace whose attempts hang has half of the slow slots, and each that follows half of the rest (P955)", () => {
    const slots = Slots.make(bounds, () => {})
    assert.strictEqual(fill(slots, 1, "first"), 16)
    assert.strictEqual(fill(slots, 2, "first"), 8)
    assert.strictEqual(fill(slots, 3, "first"), 4)
    const retries = Slots.make(bounds, () => {})
    assert.strictEqual(fill(retries, 1, "retry"), 8)
    assert.strictEqual(fill(retries, 2, "retry"), 4)
    assert.isAbove(fill(retries, 3, "first"), 4, "retries leave the others their part")
  })

  it("a workspace that was refused is called when its attempts end, and gets claims of some size (P955)", () => {
    let rings = 0
    const slots = Slots.make(bounds, () => rings++)
    const taken = Array.from({ length: 5 }, (_, n) =>
      slots.take({ id: `a${n}`, workspace: workspaceOf(1) }, "first", 0)
    )
    assert.deepStrictEqual(
      taken.map((slot) => slot !== null),
      [true, true, true, true, false]
    )
    assert.deepStrictEqual(slots.rooms("first"), { others: 2, of: new Map([[workspaceOf(1), 0]]) })
    assert.isTrue(slots.isTight())
    slots.give(taken[0]!, "responding", 1)
    assert.strictEqual(rings, 1)
    assert.deepStrictEqual(slots.rooms("first"), { others: 3, of: new Map([[workspaceOf(1), 1]]) })
  })

  it("the lines of a workspace leave places in line for those of others (P955)", () => {
    const slots = Slots.make(bounds, () => {})
    const join = (name: string, workspace: number) => {
      const ref = { id: name, workspace: workspaceOf(workspace) }
      slots.give(slots.take(ref, "first", 0)!, "swift", 0)
      return Array.from({ length: 4 }, () => slots.join(ref, "first", () => {}))
    }
    assert.deepStrictEqual(join("a", 1), [true, true, true, false])
    assert.deepStrictEqual(join("b", 1), [false, false, false, false])
    assert.deepStrictEqual(join("c", 2), [true, true, false, false])
  })

  it.effect(
    "while one has more hanging endpoints than there are slots, a new endpoint of another is sent to at once (P955)",
    () =>
      Effect.gen(function* () {
        const receiver = yield* Receiver
        receiver.answers((request) => (request.url.includes("hanging") ? hangs(request) : Effect.succeed(answer(200))))
        const sentTo = (part: string) => receiver.sent.filter(({ request }) => request.url.includes(part)).length
        for (let number = 0; number < Pools.webhookAttempts.size; number++) {
          yield* createEndpoint(["message.completed"], { url: `https://hanging.example/${number}` })
        }
        yield* publish("message.completed")
        yield* settleDown
        assert.strictEqual(sentTo("hanging"), sizeAlone(Pools.webhookAttempts.size - WebhookLimits.concurrencyReserved))
        for (let round = 1; round <= 4; round++) {
          const url = `https://new.example/${round}`
          yield* createEndpoint(["distill.report.ready"], { partition: stranger, url })
          yield* publish("distill.report.ready", { partition: stranger })
          yield* settleDown
          assert.strictEqual(sentTo(url), 1, `round ${round}`)
          yield* TestClock.adjust(WebhookLimits.slowMillis + WebhookLimits.slowLookMillis)
          yield* settleDown
        }
        assert.strictEqual(sentTo("hanging"), Pools.webhookAttempts.size, "all have their turn")
      }).pipe(
        (test) => Effect.flatMap(DeliveryDispatcher, ({ forever }) => during(forever)(test)),
        Effect.provide(world)
      )
  )
})
