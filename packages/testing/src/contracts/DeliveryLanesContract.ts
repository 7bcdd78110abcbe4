/** DeliveryStore's promises about lanes: a delivery waits in the lane of `laneOf`, whichever worker wrote it last. */
import { assert } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { type Delivery, type Lane, laneOf, Trigger } from "@limbeck/webhooks/delivery/Delivery"
import type { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Deliveries from "../fixtures/Deliveries.ts"
import * as Events from "../fixtures/Events.ts"
import { describePort } from "./AllPorts.ts"
import { farFuture, idsOf, later, now, open } from "./deliveries.ts"

/** Every kind of delivery distinguished by the law. */
const kinds = Trigger.literals.flatMap((trigger) => [0, 1, 2].map((attemptCount) => ({ trigger, attemptCount })))

const of = (deliveries: ReadonlyArray<Delivery>, lane: Lane) =>
  deliveries.filter((delivery) => laneOf(delivery) === lane).map(({ id }) => id)

/** Claims all that is due at `at` and compares the lanes with the law. */
const assertLanes = Effect.fnUntraced(function* (
  store: DeliveryStore["Service"],
  deliveries: ReadonlyArray<Delivery>,
  at: number
) {
  const options = { now: at, limit: 100, leaseUntil: farFuture }
  const first = yield* store.claimDue({ ...options, lane: "first" })
  const retry = yield* store.claimDue({ ...options, lane: "retry" })
  assert.sameMembers([...idsOf(first)], of(deliveries, "first"))
  assert.sameMembers([...idsOf(retry)], of(deliveries, "retry"))
  return [...first, ...retry]
})

export const suite = describePort("DeliveryStore, lanes", (it) => {
  it.effect("a delivery is claimed in the lane that the law gives it, after insert, settle and redeliver (P137)", () =>
    Effect.gen(function* () {
      const { endpointId, partition, store } = yield* open
      const events = Events.events(partition, kinds.length)
      yield* (yield* EventStore).append(partition, events)
      const inserted = events.map((event, at) => ({ ...Deliveries.delivery(event, endpointId, now), ...kinds[at] }))
      yield* store.insert(partition, inserted)
      const claimed = yield* assertLanes(store, inserted, now)
      assert.strictEqual(claimed.length, kinds.length)

      // Settles each as the next kind, so that its lane changes.
      const moved = claimed.map((one, at) => ({
        ...one,
        delivery: { ...one.delivery, ...kinds[(at + 1) % kinds.length], dueAt: later },
        attempt: null
      }))
      assert.deepStrictEqual(yield* store.settle(moved), [])
      const settled = moved.map(({ delivery }) => delivery)
      const again = yield* assertLanes(store, settled, later)

      const dead = again.map((one) => ({ ...Deliveries.deadLetterOf(one), attempt: null }))
      assert.deepStrictEqual(yield* store.settle(dead), [])
      const revived = dead.map(({ delivery }, at) => ({
        ...Deliveries.redeliveryOf(delivery, later + 1),
        ...kinds[at % kinds.length]
      }))
      assert.deepStrictEqual(yield* store.redeliver(partition, revived), [])
      yield* assertLanes(store, revived, later + 1)
    })
  )
})
