/** DeliveryStore's promises about claims: no delivery is held by two workers, and none is skipped. */
import { assert } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type { Delivery, Lane } from "@limbeck/webhooks/delivery/Delivery"
import type { ClaimedDelivery } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deliveries from "../fixtures/Deliveries.ts"
import * as Events from "../fixtures/Events.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { farFuture, idsOf, insert, later, now, open } from "./deliveries.ts"

export const suite = describePort("DeliveryStore, claims", (it) => {
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
      assert.deepStrictEqual(yield* store.settle([Deliveries.successOf(mine)]), [])
      assert.deepInclude(Option.getOrThrow(yield* find(kept)), { status: "succeeded", attemptCount: 1 })

      const [again] = yield* claim(later)
      assert.strictEqual(again?.delivery.id, left.id)
      assert.isAbove(again?.lease ?? 0, leases.get(left.id) ?? 0)
      const stale = { partition, delivery: left, lease: leases.get(left.id) ?? 0, body: "" }
      assert.deepStrictEqual(yield* store.settle([Deliveries.successOf(stale)]), [left.id])
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

  it.effect(
    "a claim takes no more of a workspace than its room, in both modes, and others take their place (P955)",
    () =>
      Effect.gen(function* () {
        const { others, partition, store } = yield* open
        const [test, second] = others
        const made = yield* Effect.forEach(Array.from({ length: 60 }).keys(), (n) =>
          insert(n % 2 === 0 ? partition : test, Deliveries.endpointId(), { at: now + n })
        )
        const busy = yield* Effect.forEach([100, 101], (n) => insert(second, Deliveries.endpointId(), { at: now + n }))
        const third = Fresh.neighbours().mine
        const late = yield* Effect.forEach([200, 201, 202], (n) =>
          insert(third, Deliveries.endpointId(), { at: now + n })
        )
        const ids = (some: typeof made) => some.map(({ delivery }) => delivery.id)
        const claim = (of: ReadonlyArray<readonly [WorkspaceId, number]>, rest: number, perEndpointMax = 8) =>
          Effect.map(
            store.claimDue({
              ...{ lane: "first", now: later, limit: 10, leaseUntil: farFuture, perEndpointMax },
              rooms: { of: new Map(of), others: rest }
            }),
            idsOf
          )
        const mine = [partition.workspace, 3] as const
        const first = [...ids(made.slice(0, 3)), ...ids(busy.slice(0, 1)), ...ids(late.slice(0, 2))]
        assert.deepStrictEqual(yield* claim([mine, [second.workspace, 1]], 2), first)
        const full = [partition.workspace, 0] as const
        assert.deepStrictEqual(yield* claim([full], 5), [...ids(busy.slice(1)), ...ids(late.slice(2))])
        assert.deepStrictEqual(yield* claim([full], 5), [])
        assert.deepStrictEqual(yield* claim([], 4), ids(made.slice(3, 7)))
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

  it.effect("a claim takes more of those endpoints that may have more, in the order in which they are due (P408)", () =>
    Effect.gen(function* () {
      const { endpointId, insert: insertHere, partition, store } = yield* open
      const there = Deliveries.endpointId()
      // A storage that has found a crowd in earlier cases may look in another way for a moment.
      const afresh = later + 60_000
      const here = yield* Effect.forEach(Array.from({ length: 30 }).keys(), (n) => insertHere({ at: now + n }))
      const others = yield* Effect.forEach([100, 101, 102, 103], (n) => insert(partition, there, { at: now + n }))
      const claim = (limit: number, many: ReadonlyArray<string>, single: ReadonlyArray<string> = []) =>
        Effect.map(
          store.claimDue({
            lane: "first",
            now: afresh,
            limit,
            leaseUntil: farFuture,
            perEndpointMax: 2,
            single,
            many: { endpoints: many, max: 5 }
          }),
          idsOf
        )
      const made = (of: typeof here, from: number, to: number) => of.slice(from, to).map(({ delivery }) => delivery.id)
      assert.deepStrictEqual(yield* claim(10, [endpointId]), [...made(here, 0, 5), ...made(others, 0, 2)])
      assert.deepStrictEqual(yield* claim(3, [endpointId, there]), made(here, 5, 8))
      assert.deepStrictEqual(yield* claim(10, [endpointId], [endpointId]), [...made(here, 8, 9), ...made(others, 2, 4)])
      assert.deepStrictEqual(yield* claim(10, [endpointId]), made(here, 9, 14))
    })
  )

  it.effect("a claim takes of one lane alone: first attempts, or retries and redeliveries", () =>
    Effect.gen(function* () {
      const { claim, find, insert, partition, store } = yield* open
      const failing = yield* insert({ at: now })
      const dying = yield* insert({ at: now + 1 })
      const [one, two] = yield* claim(now + 1)
      const dead = Deliveries.deadLetterOf(two!)
      yield* store.settle([Deliveries.failureOf(one!, now + 5), { ...dead, attempt: null }])
      yield* store.redeliver(partition, [Deliveries.redeliveryOf(dead.delivery, now + 6)])
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
      yield* store.settle(claimed.map((one) => Deliveries.failureOf(one, now + 50)))
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

  it.effect(
    "what was written by a clock ahead is pulled forward, a lease to its new end, and what only waits long stays (P123)",
    () =>
      Effect.gen(function* () {
        const { claim, find, insert, store } = yield* open
        const held = yield* insert({ dueAt: now })
        const [mine] = yield* claim(now, { leaseUntil: farFuture })
        const ahead = yield* insert({ at: farFuture, dueAt: farFuture })
        const patient = yield* insert({ dueAt: farFuture })
        const waiting = yield* insert({ dueAt: later })
        assert.strictEqual(yield* store.pullForward({ now, latest: later, leaseUntil: later + 500 }), 2)
        assert.strictEqual(yield* store.pullForward({ now, latest: later, leaseUntil: later + 500 }), 1)
        assert.strictEqual(Option.getOrThrow(yield* find(ahead.delivery)).dueAt, now)
        assert.strictEqual(Option.getOrThrow(yield* find(waiting.delivery)).dueAt, later)
        assert.strictEqual(Option.getOrThrow(yield* find(patient.delivery)).dueAt, farFuture)
        assert.deepStrictEqual(idsOf(yield* claim(now)), [ahead.delivery.id])
        assert.sameMembers([...idsOf(yield* claim(later + 499))], [waiting.delivery.id, ahead.delivery.id])
        assert.deepStrictEqual(idsOf(yield* claim(later + 500)), [held.delivery.id])
        assert.deepStrictEqual(yield* store.settle([Deliveries.successOf(mine!)]), [held.delivery.id])
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
      yield* store.settle([Deliveries.failureOf(claimed!, later + 900)])
      assert.strictEqual(yield* store.nextDueAt, later + 500)
    })
  )
})
