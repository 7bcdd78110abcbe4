/** What every DeliveryStore must do: keep deliveries with their events, and show them. */
import { assert } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { firstPage } from "@limbeck/core/pages/Page"
import { Storage } from "@limbeck/core/storage/Storage"
import type { DeliveryStatus } from "@limbeck/webhooks/delivery/Delivery"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deliveries from "../fixtures/Deliveries.ts"
import * as Events from "../fixtures/Events.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import * as Generator from "../random/Generator.ts"
import { describePort } from "./AllPorts.ts"
import { any, farFuture, idsOf, insert, later, now, open } from "./deliveries.ts"
import { pageCases } from "./pages.ts"

const day = 24 * 3_600_000

export const suite = describePort("DeliveryStore", (it) => {
  /** One endpoint's list, among deliveries that its filter excludes. */
  const openList = (filter: { readonly status: DeliveryStatus | null; readonly eventType: string | null }) =>
    Effect.map(Effect.all([DeliveryStore, Effect.context<DeliveryStore | EventStore>()]), ([store, context]) => {
      const partition = Fresh.partition()
      const endpointId = Deliveries.endpointId()
      return {
        insert: (at: number) =>
          Effect.gen(function* () {
            const { delivery } = yield* insert(partition, endpointId, { at })
            yield* insert(partition, Deliveries.endpointId(), { at })
            if (filter.eventType !== null) yield* insert(partition, endpointId, { at, type: "other.one" })
            return delivery.id as string
          }).pipe(Effect.provideContext(context)),
        page: (request: Parameters<typeof store.page>[2]) => store.page(partition, { endpointId, ...filter }, request)
      }
    })

  pageCases(it, openList(any))

  it.describe("page by status and type", () => pageCases(it, openList({ status: "pending", eventType: "order.paid" })))

  it.effect("an inserted delivery is found as it was, also while somebody holds it", () =>
    Effect.gen(function* () {
      const { claim, endpointId, find, insert, partition, store } = yield* open
      const { delivery } = yield* insert()
      assert.deepStrictEqual(yield* find(delivery), Option.some(delivery))
      yield* claim()
      assert.deepStrictEqual(yield* find(delivery), Option.some(delivery))
      const page = yield* store.page(partition, { endpointId, ...any }, firstPage(5))
      assert.deepStrictEqual(page, { items: [delivery], hasMore: false })
    })
  )

  it.effect("an insert joins the transaction of its event", () =>
    Effect.gen(function* () {
      const { claim, endpointId, find, partition, store } = yield* open
      const storage = yield* Storage
      const events = yield* EventStore
      const event = Events.event(partition)
      const delivery = Deliveries.delivery(event, endpointId)
      const both = Effect.andThen(events.append(partition, [event]), store.insert(partition, [delivery]))
      yield* Effect.flip(storage.transaction(Effect.andThen(both, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* find(delivery), Option.none())
      assert.strictEqual(yield* store.nextDueAt, null)
      yield* storage.transaction(both)
      assert.deepStrictEqual(idsOf(yield* claim()), [delivery.id])
    })
  )

  it.effect("many deliveries of many events are inserted at once, and none is nothing", () =>
    Effect.gen(function* () {
      const { claim, endpointId, partition, store } = yield* open
      const events = yield* EventStore
      const made = Events.events(partition, 120)
      yield* events.append(partition, made)
      const deliveries = made.map((event) => Deliveries.delivery(event, endpointId))
      yield* store.insert(partition, deliveries)
      yield* store.insert(partition, [])
      assert.deepStrictEqual(
        idsOf(yield* claim(later, { limit: 1_000 })),
        deliveries.map(({ id }) => id)
      )
    })
  )

  it.effect("a page has one endpoint's deliveries of the status and type asked for", () =>
    Effect.gen(function* () {
      const { claim, endpointId, insert, partition, store } = yield* open
      const types = ["a.b", "a.c", "a.b", "a.c"]
      const made = yield* Effect.forEach(types, (type, index) => insert({ at: now + index, dueAt: now + index, type }))
      const [first, second] = yield* claim(now + 1)
      yield* store.settle([Deliveries.failureOf(first!, farFuture), Deliveries.deadLetterOf(second!)])
      const ids = made.map(({ delivery }) => delivery.id)
      const expected: ReadonlyArray<readonly [DeliveryStatus | null, string | null, ReadonlyArray<number>]> = [
        [null, null, [3, 2, 1, 0]],
        ["pending", null, [3, 2]],
        ["failed", null, [0]],
        ["dead_lettered", null, [1]],
        ["succeeded", null, []],
        [null, "a.b", [2, 0]],
        ["pending", "a.c", [3]],
        ["dead_lettered", "a.b", []]
      ]
      for (const [status, eventType, places] of expected) {
        const { items } = yield* store.page(partition, { endpointId, status, eventType }, firstPage(10))
        assert.deepStrictEqual(
          items.map(({ id }) => id),
          places.map((place) => ids[place]!)
        )
      }
    })
  )

  it.effect("stats count attempts since a time and deliveries as they are, per endpoint", () =>
    Effect.gen(function* () {
      const { claim, insert: insertHere, endpointId, partition, store } = yield* open
      for (let index = 0; index < 4; index++) yield* insertHere({ at: now + index, dueAt: now + index })
      const there = Deliveries.endpointId()
      yield* insert(partition, there, { at: now + 4, dueAt: farFuture - 1 })
      const [a, b, c] = yield* claim(now + 2)
      yield* store.settle([
        Deliveries.successOf(a!, now + 10),
        Deliveries.failureOf(b!, now + 100, now + 20),
        Deliveries.deadLetterOf(c!, now + 30)
      ])
      const [, again] = yield* claim(now + 100)
      yield* store.settle([Deliveries.successOf(again!, now + 100)])

      const unused = Deliveries.endpointId()
      const stats = (since: number) => store.stats(partition, [endpointId, there, unused], since)
      assert.deepStrictEqual(
        yield* stats(now + 10),
        new Map([
          [endpointId, { attempts: 4, succeeded: 2, pending: 1, deadLettered: 1 }],
          [there, { attempts: 0, succeeded: 0, pending: 1, deadLettered: 0 }]
        ])
      )
      assert.deepStrictEqual((yield* stats(now + 11)).get(endpointId), {
        attempts: 3,
        succeeded: 1,
        pending: 1,
        deadLettered: 1
      })
      assert.deepStrictEqual([...(yield* store.stats(partition, [there], 0)).keys()], [there])
      assert.deepStrictEqual(yield* store.stats(partition, [], 0), new Map())
    })
  )

  it.effect("stats are exact to the millisecond wherever their time begins, whoever settles at once (P363)", () =>
    Effect.gen(function* () {
      const { claim, partition, store } = yield* open
      const { below, pick } = Generator.make(363)
      const endpointIds = Array.from({ length: 3 }, Deliveries.endpointId)
      const made = Array.from({ length: 90 }, (_, index) => ({ at: now + index, endpointId: pick(endpointIds) }))
      for (const { at, endpointId } of made) yield* insert(partition, endpointId, { at })
      const settled = (yield* claim(now + 90, { limit: 90 })).map((one) => {
        const at = now + below(day)
        return pick([
          Deliveries.successOf(one, at),
          Deliveries.failureOf(one, farFuture - 1, at),
          Deliveries.deadLetterOf(one, at)
        ])
      })
      const batches = Array.from({ length: 9 }, (_, index) => settled.filter((_, place) => place % 9 === index))
      yield* Effect.forEach(batches, store.settle, { concurrency: 9, discard: true })

      const expected = (since: number) =>
        endpointIds.map((endpointId) => {
          const own = settled.filter(({ delivery }) => delivery.endpointId === endpointId)
          const attempts = own.filter(({ attempt }) => attempt.startedAt >= since)
          const withStatus = (status: DeliveryStatus) => own.filter(({ delivery }) => delivery.status === status).length
          return {
            attempts: attempts.length,
            succeeded: attempts.filter(({ attempt }) => attempt.result.statusCode === 200).length,
            pending: withStatus("failed"),
            deadLettered: withStatus("dead_lettered")
          }
        })
      const starts = settled.slice(0, 5).map(({ attempt }) => attempt.startedAt)
      for (const since of [0, now, ...starts.flatMap((at) => [at, at + 1, at - (at % 60_000)]), now + day]) {
        const stats = yield* store.stats(partition, endpointIds, since)
        assert.deepStrictEqual(
          endpointIds.map((endpointId) => stats.get(endpointId)),
          expected(since)
        )
      }
    })
  )

  it.effect("nobody reads the deliveries of another partition, or through another endpoint (P8)", () =>
    Effect.gen(function* () {
      const { claim, endpointId, insert, others, partition, store } = yield* open
      const { delivery } = yield* insert()
      const [claimed] = yield* claim()
      yield* store.settle([Deliveries.failureOf(claimed!, farFuture - 1)])
      const otherEndpoint = Deliveries.endpointId()
      assert.deepStrictEqual(yield* store.find(partition, otherEndpoint, delivery.id), Option.none())
      const page = yield* store.page(partition, { endpointId: otherEndpoint, ...any }, firstPage(5))
      assert.deepStrictEqual(page.items, [])
      for (const other of others) {
        assert.deepStrictEqual(yield* store.find(other, endpointId, delivery.id), Option.none())
        assert.deepStrictEqual((yield* store.page(other, { endpointId, ...any }, firstPage(5))).items, [])
        assert.deepStrictEqual(yield* store.attempts(other, delivery.id), [])
        assert.deepStrictEqual(yield* store.stats(other, [endpointId], 0), new Map())
      }
    })
  )
})
