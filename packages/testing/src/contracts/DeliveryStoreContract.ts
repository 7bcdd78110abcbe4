/** What every DeliveryStore must do: nothing is sent by two workers at a time, and a stale lease writes nothing. */
import { assert } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { firstPage } from "@limbeck/core/pages/Page"
import { Storage } from "@limbeck/core/storage/Storage"
import type { Delivery, DeliveryStatus, Lane } from "@limbeck/webhooks/delivery/Delivery"
import { type ClaimedDelivery, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deliveries from "../fixtures/Deliveries.ts"
import * as Events from "../fixtures/Events.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { any, farFuture, idsOf, insert, later, now, open } from "./deliveries.ts"
import { pageCases } from "./pages.ts"

export const suite = describePort("DeliveryStore", (it) => {
  /** The list of one endpoint, among deliveries that its filter leaves out. */
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

  it.effect("what is held in its insert is claimed by nobody else until its lease ends, and settled by its lease", () =>
    Effect.gen(function* () {
      const { claim, endpointId, find, partition, store } = yield* open
      const events = yield* EventStore
      const made = Events.events(partition, 3)
      yield* events.append(partition, made)
      const [kept, left, free] = made.map((event) => Deliveries.delivery(event, endpointId, now)) as [
        Delivery,
        Delivery,
        Delivery
      ]
      const held = { ids: new Set([kept.id, left.id, "del_of_nobody"]), leaseUntil: later }
      const leases = yield* store.insert(partition, [kept, left, free], held)
      assert.deepStrictEqual([...leases.keys()].toSorted(), [kept.id, left.id].toSorted())
      assert.deepStrictEqual(idsOf(yield* claim(later - 1, { leaseUntil: farFuture })), [free.id])
      assert.strictEqual(yield* store.nextDueAt, later)

      const mine = { partition, delivery: kept, lease: leases.get(kept.id) ?? 0, body: "" }
      assert.deepStrictEqual(yield* store.settle([Deliveries.succeeded(mine)]), [])
      assert.deepInclude(Option.getOrThrow(yield* find(kept)), { status: "succeeded", attemptCount: 1 })

      const [again] = yield* claim(later)
      assert.strictEqual(again?.delivery.id, left.id)
      assert.isAbove(again?.lease ?? 0, leases.get(left.id) ?? 0)
      const stale = { partition, delivery: left, lease: leases.get(left.id) ?? 0, body: "" }
      assert.deepStrictEqual(yield* store.settle([Deliveries.succeeded(stale)]), [left.id])
    })
  )

  it.effect("a claim gives the delivery, its partition and the very text of its event", () =>
    Effect.gen(function* () {
      const { claim, insert, partition } = yield* open
      const { delivery, event } = yield* insert()
      const [claimed] = yield* claim()
      assert.deepStrictEqual({ ...claimed, lease: 0 }, { partition, delivery, body: event.body, lease: 0 })
    })
  )

  it.effect("what is due is claimed, oldest due first, no more than the limit, and of every partition", () =>
    Effect.gen(function* () {
      const { claim, insert: insertMine, others } = yield* open
      const second = yield* insertMine({ at: now, dueAt: now + 2 })
      const first = yield* insert(others[0], Deliveries.endpointId(), { at: now + 1 })
      const third = yield* insert(others[1], Deliveries.endpointId(), { at: now, dueAt: now + 3 })
      assert.deepStrictEqual(yield* claim(now), [])
      assert.deepStrictEqual(idsOf(yield* claim(now + 3, { limit: 2 })), [first.delivery.id, second.delivery.id])
      assert.deepStrictEqual(idsOf(yield* claim(now + 3, { limit: 2 })), [third.delivery.id])
    })
  )

  it.effect("a claim takes no more of one endpoint than it may, and others take their place", () =>
    Effect.gen(function* () {
      const { insert: insertHere, partition, store } = yield* open
      const there = Deliveries.endpointId()
      const here = yield* Effect.forEach(Array.from({ length: 30 }).keys(), (n) => insertHere({ at: now + n }))
      const others = yield* Effect.forEach([100, 101, 102], (n) => insert(partition, there, { at: now + n }))
      const idsOfMade = (made: typeof here) => made.map(({ delivery }) => delivery.id)
      const claim = (limit: number, perEndpointMax: number) =>
        Effect.map(store.claimDue({ lane: "first", now: later, limit, leaseUntil: farFuture, perEndpointMax }), idsOf)
      assert.deepStrictEqual(yield* claim(10, 4), idsOfMade([...here.slice(0, 4), ...others]))
      assert.deepStrictEqual(yield* claim(3, 4), idsOfMade(here.slice(4, 7)))
    })
  )

  it.effect("a claim passes over the endpoints it is told to", () =>
    Effect.gen(function* () {
      const { endpointId, insert: insertHere, partition, store } = yield* open
      const there = Deliveries.endpointId()
      yield* Effect.forEach(Array.from({ length: 30 }).keys(), (n) => insertHere({ at: now + n }))
      const { delivery } = yield* insert(partition, there, { at: now + 100 })
      const claim = (except: ReadonlyArray<string>) =>
        Effect.map(store.claimDue({ lane: "first", now: later, limit: 5, leaseUntil: farFuture, except }), idsOf)
      assert.deepStrictEqual(yield* claim([there, endpointId]), [])
      assert.deepStrictEqual(yield* claim([endpointId, Deliveries.endpointId()]), [delivery.id])
      assert.strictEqual((yield* claim([])).length, 5)
    })
  )

  it.effect("a claim takes one of those endpoints that may have no more, the oldest", () =>
    Effect.gen(function* () {
      const { endpointId, insert: insertHere, partition, store } = yield* open
      const there = Deliveries.endpointId()
      const here = yield* Effect.forEach(Array.from({ length: 30 }).keys(), (n) => insertHere({ at: now + n }))
      const others = yield* Effect.forEach([100, 101, 102], (n) => insert(partition, there, { at: now + n }))
      const claim = (single: ReadonlyArray<string>) =>
        Effect.map(
          store.claimDue({ lane: "first", now: later, limit: 4, leaseUntil: farFuture, perEndpointMax: 2, single }),
          idsOf
        )
      const oldest = (made: typeof here, count: number) => made.slice(0, count).map(({ delivery }) => delivery.id)
      assert.deepStrictEqual(yield* claim([endpointId]), [...oldest(here, 1), ...oldest(others, 2)])
      assert.deepStrictEqual(yield* claim([endpointId, there]), [here[1]!.delivery.id, others[2]!.delivery.id])
    })
  )

  it.effect("a claim takes of one lane alone: first attempts, or retries and redeliveries", () =>
    Effect.gen(function* () {
      const { claim, find, insert, partition, store } = yield* open
      const failing = yield* insert({ at: now })
      const dying = yield* insert({ at: now + 1 })
      const [one, two] = yield* claim(now + 1)
      const dead = Deliveries.deadLettered(two!)
      yield* store.settle([Deliveries.failed(one!, now + 5), { ...dead, attempt: null }])
      yield* store.redeliver(partition, [Deliveries.redelivered(dead.delivery, now + 6)])
      const fresh = yield* insert({ at: now + 7 })

      const claimLane = (lane: Lane, at: number) =>
        Effect.map(store.claimDue({ lane, now: at, limit: 10, leaseUntil: farFuture - 1 }), idsOf)
      assert.strictEqual(yield* store.nextDueAt, now + 5)
      assert.deepStrictEqual(yield* claimLane("first", now + 6), [])
      assert.deepStrictEqual(yield* claimLane("first", later), [fresh.delivery.id])
      assert.deepStrictEqual(yield* claimLane("retry", later), [failing.delivery.id, dying.delivery.id])
      assert.strictEqual(Option.getOrThrow(yield* find(failing.delivery)).status, "failed")
      assert.deepStrictEqual(yield* claimLane("first", farFuture - 1), [fresh.delivery.id])
      assert.deepStrictEqual(yield* claimLane("retry", farFuture - 1), [failing.delivery.id, dying.delivery.id])
    })
  )

  it.effect("the backlog of one lane hides nothing of the other", () =>
    Effect.gen(function* () {
      const { claim, endpointId, insert: insertHere, partition, store } = yield* open
      const claimLane = (lane: Lane, limit: number, perEndpointMax: number) =>
        Effect.map(
          store.claimDue({ lane, now: later, limit, leaseUntil: farFuture, perEndpointMax, except: [] }),
          (claimed) => claimed.map(({ delivery }) => delivery.endpointId)
        )
      for (let n = 0; n < 40; n++) yield* insertHere({ at: now + n })
      const claimed = yield* claim(now + 40, { limit: 40 })
      yield* store.settle(claimed.map((one) => Deliveries.failed(one, now + 50)))
      const there = Deliveries.endpointId()
      yield* insert(partition, there, { at: now + 100 })
      yield* insertHere({ at: now + 101 })
      assert.deepStrictEqual(yield* claimLane("first", 10, 4), [there, endpointId])
      assert.deepStrictEqual(yield* claimLane("retry", 10, 4), [endpointId, endpointId, endpointId, endpointId])
    })
  )

  it.effect("a claimed delivery is hidden until its lease ends, then claimed again under a higher lease", () =>
    Effect.gen(function* () {
      const { claim, insert } = yield* open
      yield* insert()
      const [first] = yield* claim(now, { leaseUntil: later })
      assert.deepStrictEqual(yield* claim(later - 1), [])
      const [second] = yield* claim(later)
      assert.isAbove(second!.lease, first!.lease)
    })
  )

  it.effect("concurrent claimers share nothing and leave nothing", () =>
    Effect.gen(function* () {
      const { claim, endpointId, partition, store } = yield* open
      const events = yield* EventStore
      const made = Events.events(partition, 300)
      yield* events.append(partition, made)
      yield* store.insert(
        partition,
        made.map((event) => Deliveries.delivery(event, endpointId, now))
      )
      const drain: Effect.Effect<ReadonlyArray<ClaimedDelivery>, unknown> = Effect.flatMap(
        claim(now, { limit: 11 }),
        (claimed) => (claimed.length === 0 ? Effect.succeed([]) : Effect.map(drain, (rest) => [...claimed, ...rest]))
      )
      const all = (yield* Effect.all(
        Array.from({ length: 8 }, () => drain),
        { concurrency: "unbounded" }
      )).flat()
      assert.strictEqual(all.length, 300)
      assert.strictEqual(new Set(idsOf(all)).size, 300)
    })
  )

  it.effect("settle writes the state and the attempt, and frees the lease", () =>
    Effect.gen(function* () {
      const { claim, find, insert, partition, store } = yield* open
      yield* insert()
      const [first] = yield* claim()
      const failure = Deliveries.failed(first!, now + 5_000)
      assert.deepStrictEqual(yield* store.settle([failure]), [])
      assert.deepStrictEqual(yield* find(failure.delivery), Option.some(failure.delivery))
      assert.deepStrictEqual(yield* claim(now + 4_999), [])
      const [second] = yield* claim(now + 5_000)
      assert.deepStrictEqual(second!.delivery, failure.delivery)
      const success = Deliveries.succeeded(second!, now + 5_000)
      assert.deepStrictEqual(yield* store.settle([success]), [])
      assert.deepStrictEqual(yield* find(success.delivery), Option.some(success.delivery))
      assert.deepStrictEqual(yield* store.attempts(partition, success.delivery.id), [failure.attempt, success.attempt])
      assert.deepStrictEqual(yield* claim(farFuture), [])
    })
  )

  it.effect("a settlement keeps every word of an attempt, and may have none", () =>
    Effect.gen(function* () {
      const { claim, find, insert, partition, store } = yield* open
      yield* insert()
      const [claimed] = yield* claim()
      const settled = Deliveries.failed(claimed!, later)
      const result = { statusCode: null, bodySnippet: '<ü "漢">\n', durationMillis: 5_000, error: "timeout" }
      const attempt = { ...settled.attempt, trigger: "manual" as const, result }
      yield* store.settle([{ ...settled, attempt, delivery: { ...settled.delivery, lastResult: result } }])
      assert.deepStrictEqual(yield* store.attempts(partition, settled.delivery.id), [attempt])
      const [again] = yield* claim(later)
      const dead = { ...Deliveries.deadLettered(again!), attempt: null }
      assert.deepStrictEqual(yield* store.settle([dead]), [])
      assert.deepStrictEqual(yield* find(dead.delivery), Option.some(dead.delivery))
      assert.deepStrictEqual(yield* store.attempts(partition, settled.delivery.id), [attempt])
    })
  )

  it.effect("a lease that nobody else took settles, also when its time is over", () =>
    Effect.gen(function* () {
      const { claim, find, insert, store } = yield* open
      yield* insert()
      const [claimed] = yield* claim(now, { leaseUntil: now + 1 })
      const success = Deliveries.succeeded(claimed!, later)
      assert.deepStrictEqual(yield* store.settle([success]), [])
      assert.deepStrictEqual(yield* find(success.delivery), Option.some(success.delivery))
    })
  )

  it.effect("a settlement under a stale lease changes nothing, and is answered", () =>
    Effect.gen(function* () {
      const { claim, find, insert, partition, store } = yield* open
      const { delivery } = yield* insert()
      const [stale] = yield* claim(now, { leaseUntil: later })
      const [current] = yield* claim(later, { leaseUntil: farFuture })
      assert.deepStrictEqual(yield* store.settle([Deliveries.succeeded(stale!)]), [delivery.id])
      assert.deepStrictEqual(yield* find(delivery), Option.some(delivery))
      assert.deepStrictEqual(yield* store.attempts(partition, delivery.id), [])
      assert.deepStrictEqual(yield* claim(farFuture - 1), [])
      assert.deepStrictEqual(yield* store.settle([Deliveries.succeeded(current!)]), [])
    })
  )

  it.effect("a settlement said twice counts once", () =>
    Effect.gen(function* () {
      const { claim, endpointId, insert, partition, store } = yield* open
      const { delivery } = yield* insert()
      const [claimed] = yield* claim()
      const failure = Deliveries.failed(claimed!, later)
      assert.deepStrictEqual(yield* store.settle([failure]), [])
      assert.deepStrictEqual(yield* store.settle([failure]), [delivery.id])
      assert.strictEqual((yield* store.attempts(partition, delivery.id)).length, 1)
      assert.strictEqual((yield* store.stats(partition, [endpointId], 0)).get(endpointId)?.attempts, 1)
    })
  )

  it.effect("one settle writes the current and leaves out the stale, the foreign and the unknown", () =>
    Effect.gen(function* () {
      const { claim, find, insert, others, store } = yield* open
      for (let index = 0; index < 5; index++) yield* insert({ at: now + index, dueAt: now })
      const [a, b, c, d, e] = (yield* claim()).map((claimed) => Deliveries.succeeded(claimed, later))
      const unknown = { ...e!, delivery: { ...e!.delivery, id: Fresh.id("del") } }
      const batch = [
        a!,
        { ...b!, lease: b!.lease + 1_000_000 },
        { ...c!, partition: others[0] },
        { ...d!, partition: others[1] },
        unknown,
        e!
      ]
      const refused = yield* store.settle(batch)
      assert.sameMembers(
        [...refused],
        [b, c, d, unknown].map((one) => one!.delivery.id)
      )
      for (const one of [a!, e!]) assert.deepStrictEqual(yield* find(one.delivery), Option.some(one.delivery))
      for (const one of [b!, c!, d!]) {
        assert.strictEqual(Option.getOrThrow(yield* find(one.delivery)).status, "pending")
      }
      assert.deepStrictEqual(yield* store.settle([b!, c!, d!]), [])
      assert.deepStrictEqual(yield* store.settle([]), [])
    })
  )

  it.effect("of a settler and a claimer who meet at the end of a lease, exactly one goes on", () =>
    Effect.gen(function* () {
      const { claim, insert, store } = yield* open
      for (let round = 0; round < 20; round++) {
        yield* insert()
        const [held] = yield* claim(now, { leaseUntil: later })
        const race = [store.settle([Deliveries.succeeded(held!)]), claim(later)] as const
        const [refused, taken] = yield* Effect.all(race, { concurrency: "unbounded" })
        assert.strictEqual(refused.length, taken.length)
        assert.deepStrictEqual(yield* store.settle(taken.map((one) => Deliveries.succeeded(one))), [])
      }
    })
  )

  it.effect("a settle that rolls back did not happen", () =>
    Effect.gen(function* () {
      const { claim, endpointId, find, insert, partition, store } = yield* open
      const storage = yield* Storage
      const { delivery } = yield* insert()
      const [claimed] = yield* claim()
      const settle = store.settle([Deliveries.deadLettered(claimed!)])
      yield* Effect.flip(storage.transaction(Effect.andThen(settle, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* find(delivery), Option.some(delivery))
      assert.deepStrictEqual(yield* store.attempts(partition, delivery.id), [])
      const stats = { attempts: 0, succeeded: 0, pending: 1, deadLettered: 0 }
      assert.deepStrictEqual((yield* store.stats(partition, [endpointId], 0)).get(endpointId), stats)
      assert.deepStrictEqual(yield* settle, [])
    })
  )

  it.effect("nextDueAt is the earliest due time or end of a lease", () =>
    Effect.gen(function* () {
      const { claim, insert, store } = yield* open
      assert.strictEqual(yield* store.nextDueAt, null)
      yield* insert({ dueAt: now })
      yield* insert({ dueAt: later + 500 })
      assert.strictEqual(yield* store.nextDueAt, now)
      const [claimed] = yield* claim(now, { leaseUntil: later })
      assert.strictEqual(yield* store.nextDueAt, later)
      yield* store.settle([Deliveries.failed(claimed!, later + 900)])
      assert.strictEqual(yield* store.nextDueAt, later + 500)
    })
  )

  it.effect("a page has one endpoint's deliveries of the status and type asked for", () =>
    Effect.gen(function* () {
      const { claim, endpointId, insert, partition, store } = yield* open
      const types = ["a.b", "a.c", "a.b", "a.c"]
      const made = yield* Effect.forEach(types, (type, index) => insert({ at: now + index, dueAt: now + index, type }))
      const [first, second] = yield* claim(now + 1)
      yield* store.settle([Deliveries.failed(first!, farFuture), Deliveries.deadLettered(second!)])
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
        Deliveries.succeeded(a!, now + 10),
        Deliveries.failed(b!, now + 100, now + 20),
        Deliveries.deadLettered(c!, now + 30)
      ])
      const [, again] = yield* claim(now + 100)
      yield* store.settle([Deliveries.succeeded(again!, now + 100)])

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

  it.effect("nobody reads the deliveries of another partition, or through another endpoint", () =>
    Effect.gen(function* () {
      const { claim, endpointId, insert, others, partition, store } = yield* open
      const { delivery } = yield* insert()
      const [claimed] = yield* claim()
      yield* store.settle([Deliveries.failed(claimed!, farFuture - 1)])
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
