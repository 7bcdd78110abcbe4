/** DeliveryStore's promises about filters: waiting and final deliveries, in one order. */
import { assert } from "@effect/vitest"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Delivery, DeliveryStatus } from "@limbeck/webhooks/delivery/Delivery"
import type { DeliveryFilter } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Deliveries from "../fixtures/Deliveries.ts"
import { describePort } from "./AllPorts.ts"
import { farFuture, insert, later, now, open } from "./deliveries.ts"

const types = ["order.paid", "order.refunded", "run.completed"]
const statuses: ReadonlyArray<DeliveryStatus | null> = [null, "pending", "failed", "succeeded", "dead_lettered"]

export const suite = describePort("DeliveryStore: pages", (it) => {
  /** Deliveries of every type and status, beside another endpoint's; oldest first. */
  const fill = Effect.gen(function* () {
    const { claim, endpointId, insert: insertHere, partition, store } = yield* open
    for (let n = 0; n < 45; n++) {
      yield* insertHere({ at: now + n, type: types[n % 3]! })
      if (n % 4 === 0) yield* insert(partition, Deliveries.endpointId(), { at: now + n })
    }
    const claimed = yield* claim(later, { limit: 100, leaseUntil: later + 1 })
    const settlements = claimed.flatMap((one, index) => {
      if (index % 7 === 0) return []
      if (index % 7 < 3) return [Deliveries.successOf(one)]
      return [index % 7 < 5 ? Deliveries.deadLetterOf(one) : Deliveries.failureOf(one, farFuture - 1)]
    })
    yield* store.settle(settlements)
    const dead = settlements.filter(({ delivery }) => delivery.status === "dead_lettered")
    const revived = Deliveries.redeliveryOf(dead[0]!.delivery, farFuture - 1)
    yield* store.redeliver(partition, [revived])
    const changed = new Map([...settlements.map(({ delivery }) => delivery), revived].map((one) => [one.id, one]))
    const all = claimed.map(({ delivery }): Delivery => changed.get(delivery.id) ?? delivery)
    const ours = all.filter((delivery) => delivery.endpointId === endpointId)
    return { endpointId, partition, store, all: ours.toSorted((a, b) => a.createdAt - b.createdAt) }
  })

  const passes =
    ({ eventType, status }: DeliveryFilter) =>
    (delivery: Delivery) =>
      (status === null || delivery.status === status) && (eventType === null || delivery.eventType === eventType)

  it.effect("every filter shows what passes it and nothing else, newest first, page by page", () =>
    Effect.gen(function* () {
      const { all, endpointId, partition, store } = yield* fill
      assert.strictEqual(all.length, 45)
      for (const status of statuses) {
        for (const eventType of [null, ...types, "order.unknown"]) {
          const filter = { endpointId, status, eventType }
          const expected = all.filter(passes(filter)).toReversed()
          const seen: Array<Delivery> = []
          for (let hasMore = true; hasMore; ) {
            const after = seen.at(-1)?.id ?? null
            const page = yield* store.page(partition, filter, { ...firstPage(4), after })
            seen.push(...page.items)
            hasMore = page.hasMore
          }
          assert.deepStrictEqual(seen, expected, JSON.stringify(filter))
        }
      }
    })
  )

  it.effect("under every filter, times of creation bound what is shown", () =>
    Effect.gen(function* () {
      const { all, endpointId, partition, store } = yield* fill
      const bounds = { createdAfter: now + 10, createdBefore: now + 30 }
      for (const status of statuses) {
        for (const eventType of [null, types[0]!]) {
          const filter = { endpointId, status, eventType }
          const expected = all
            .filter(passes(filter))
            .filter(({ createdAt }) => createdAt > now + 10 && createdAt < now + 30)
          const page = yield* store.page(partition, filter, { ...firstPage(50), ...bounds })
          assert.deepStrictEqual(page.items, expected.toReversed(), JSON.stringify(filter))
        }
      }
    })
  )
})
