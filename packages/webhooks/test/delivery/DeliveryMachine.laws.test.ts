// Laws said a second time, in other words than the table's, so that a wrong table cannot agree with itself.
import { assert, describe, it } from "@effect/vitest"
import { type Delivery, DeliveryStatus, pending } from "@limbeck/webhooks/delivery/Delivery"
import { DeliveryEvent, edges, transition } from "@limbeck/webhooks/delivery/DeliveryMachine"
import { standard } from "@limbeck/webhooks/delivery/RetrySchedule"
import * as Result from "effect/Result"
import { answer } from "../support/Receiver.ts"

const diagram = DeliveryStatus.literals.flatMap((from) =>
  Object.entries<ReadonlyArray<DeliveryStatus>>(edges[from]).flatMap(([event, to]) =>
    to.map((target) => `${from} --> ${target}: ${event}`)
  )
)

const fresh = pending({
  id: "del_00000000000000000000000000",
  endpointId: "wh_00000000000000000000000000",
  eventId: "evt_00000000000000000000000000",
  eventType: "distill.run.succeeded",
  now: 0
})

const move = (delivery: Delivery, event: DeliveryEvent, now: number) =>
  Result.getOrThrow(transition(standard, delivery, event, now))

const fail = (delivery: Delivery, at: number) =>
  move(delivery, DeliveryEvent.Failed({ startedAt: at, result: answer(500) }), at + 10)

/** Fails every due attempt of a cycle. */
const exhaust = (delivery: Delivery): ReadonlyArray<Delivery> => {
  const steps: Array<Delivery> = []
  for (let last = delivery; last.dueAt !== null; steps.push(last)) last = fail(last, last.dueAt)
  return steps
}

describe("DeliveryMachine laws", () => {
  it("six failed attempts end in dead_lettered, and five leave it failed", () =>
    assert.deepStrictEqual(
      exhaust(fresh).map(({ status }) => status),
      ["failed", "failed", "failed", "failed", "failed", "dead_lettered"]
    ))

  it("attempts are due at 5, 30, 120, 600 and 1,800 seconds after the first began", () =>
    assert.deepStrictEqual(
      exhaust(fresh).map(({ dueAt }) => dueAt),
      [5_000, 30_000, 120_000, 600_000, 1_800_000, null]
    ))

  it("a success is the end of a delivery, whichever attempt it was (P18)", () => {
    for (const before of [fresh, ...exhaust(fresh).slice(0, -1)]) {
      const done = move(before, DeliveryEvent.Succeeded({ startedAt: 1, result: answer(200) }), 2)
      assert.strictEqual(done.status, "succeeded")
      assert.isNull(done.dueAt)
      assert.isTrue(Result.isFailure(transition(standard, done, DeliveryEvent.Redelivered({ dueAt: 3 }), 3)))
    }
  })

  it("only an attempt counts as an attempt", () => {
    const disabled = move(fresh, DeliveryEvent.EndpointDisabled(), 9)
    assert.strictEqual(disabled.attemptCount, 0)
    assert.strictEqual(disabled.lastResult.error, "endpoint_disabled")
    assert.strictEqual(move(disabled, DeliveryEvent.Redelivered({ dueAt: 10 }), 10).attemptCount, 0)
  })

  it("a redelivery begins a cycle of six, due at once, and goes on counting", () => {
    const dead = exhaust(fresh).at(-1) ?? fresh
    const again = move(dead, DeliveryEvent.Redelivered({ dueAt: 9_000_000 }), 9_000_000)
    assert.deepInclude(again, { status: "pending", dueAt: 9_000_000, attemptCount: 6, trigger: "manual" })
    const cycle = exhaust(again)
    assert.deepStrictEqual(
      cycle.map(({ attemptCount }) => attemptCount),
      [7, 8, 9, 10, 11, 12]
    )
    assert.strictEqual(cycle[0]?.dueAt, 9_005_000)
  })

  it("the published diagram is this diagram", () =>
    assert.deepStrictEqual(diagram, [
      "pending --> succeeded: Succeeded",
      "pending --> failed: Failed",
      "pending --> dead_lettered: Failed",
      "pending --> dead_lettered: EndpointDisabled",
      "failed --> succeeded: Succeeded",
      "failed --> failed: Failed",
      "failed --> dead_lettered: Failed",
      "failed --> dead_lettered: EndpointDisabled",
      "dead_lettered --> pending: Redelivered"
    ]))
})
