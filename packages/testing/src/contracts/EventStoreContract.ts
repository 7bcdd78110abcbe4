/** What every EventStore must do. */
import { assert } from "@effect/vitest"
import { EventStore, type ForwardPosition } from "@limbeck/core/events/EventStore"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Events from "../fixtures/Events.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { pageCases } from "./pages.ts"

const all = { position: null, pattern: null, limit: 100, createdAfter: null, createdBefore: null }
type ForwardOptions = Omit<typeof all, "pattern" | "createdAfter" | "createdBefore"> & {
  readonly pattern: string | null
  readonly createdAfter: number | null
  readonly createdBefore: number | null
}

const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)

/** Continues the walk at each step; collects its events. */
const makeWalker = (partition: Partition, options: ForwardOptions = all) =>
  Effect.map(EventStore, (store) => {
    let position: ForwardPosition | null = null
    const met: Array<string> = []
    const step = Effect.map(
      Effect.suspend(() => store.pageForward(partition, { ...options, position })),
      ({ hasMore, items, next }) => {
        met.push(...idsOf(items))
        position = next
        return hasMore
      }
    )
    return { met, step }
  })

/** Walks until `count` are met: an adapter may show an event a little after its commit, while others are under way. */
const walkTo = Effect.fnUntraced(function* (partition: Partition, count: number, options: ForwardOptions = all) {
  const { met, step } = yield* makeWalker(partition, options)
  const again = Effect.andThen(
    step,
    Effect.suspend(() => (met.length < count ? Effect.fail("fewer") : Effect.void))
  )
  yield* Effect.retry(again, { while: () => Effect.as(Effect.sleep("5 millis"), true) }).pipe(
    Effect.timeoutOption("5 minutes")
  )
  return met
})

/** Appends `count` events in a transaction that takes `pauses` turns; some are rolled back. Answers what was committed. */
const writeSlowly = Effect.fnUntraced(function* (partition: Partition, index: number) {
  const store = yield* EventStore
  const storage = yield* Storage
  const pauses = Effect.repeat(Effect.yieldNow, { times: (index * 7) % 13 })
  const rest = index % 9 === 0 ? Effect.sleep("3 millis") : Effect.void
  const mine = Events.events(partition, 1 + (index % 3))
  const appended = Effect.forEach(mine, (event) => Effect.andThen(store.append(partition, [event]), pauses))
  const inside = Effect.all([appended, rest, index % 5 === 4 ? Effect.fail("refused") : Effect.void])
  return yield* Effect.match(storage.transaction(inside), { onFailure: () => [], onSuccess: () => idsOf(mine) })
})

export const suite = describePort("EventStore", (it) => {
  const open = (pattern: string | null) =>
    Effect.map(EventStore, (store) => {
      const partition = Fresh.partition()
      return {
        insert: (at: number) => {
          const [event, unwanted] = [
            Events.event(partition, { at }),
            Events.event(partition, { at, type: "other.one" })
          ]
          return Effect.as(store.append(partition, pattern === null ? [event] : [event, unwanted]), event.id as string)
        },
        page: (request: Parameters<typeof store.page>[2]) => store.page(partition, pattern, request)
      }
    })

  pageCases(it, open(null))

  it.describe("page by pattern", () => pageCases(it, open("order.*")))

  it.effect("an appended event is found as it was, its text byte for byte", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      const event = { ...Events.event(partition), body: '{ "a":1,\n"ü": "\\u0001 漢" ,"b": 1.0}' }
      yield* store.append(partition, [event])
      assert.deepStrictEqual(yield* store.find(partition, event.id), Option.some(event))
      assert.deepStrictEqual(yield* store.find(partition, Fresh.id("evt")), Option.none())
      assert.deepStrictEqual((yield* store.page(partition, null, firstPage(1))).items, [event])
    })
  )

  it.effect("a page that is asked for again shows what is there then, each text as it was stored (P364)", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const { mine, others } = Fresh.neighbours()
      const made = Array.from({ length: 6 }, (_, index) => ({
        ...Events.event(mine, { at: Fresh.start + index, type: index % 2 === 0 ? "order.paid" : "run.failed" }),
        body: `{"number": ${index}}`
      }))
      const [newest, ...before] = made.toReversed()
      yield* store.append(mine, before)
      const shown = (pattern: string | null, limit: number) =>
        Effect.map(store.page(mine, pattern, firstPage(limit)), ({ items }) => items)
      for (const _ of ["first", "again"]) {
        assert.deepStrictEqual(yield* shown(null, 3), before.slice(0, 3))
        assert.deepStrictEqual(
          yield* shown("order.*", 3),
          before.filter(({ type }) => type === "order.paid")
        )
      }
      yield* store.append(mine, [newest!])
      for (const _ of ["first", "again"]) {
        assert.deepStrictEqual(yield* shown(null, 3), [newest!, ...before.slice(0, 2)])
        assert.deepStrictEqual(yield* shown(null, 9), [newest!, ...before])
      }
      for (const other of others) assert.deepStrictEqual((yield* store.page(other, null, firstPage(3))).items, [])
    })
  )

  it.effect("events that were made before go, so many at a time, of every partition, and no others", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const { mine, others } = Fresh.neighbours()
      // Older than any of another case, because pruning knows no partition.
      const at = 1_000_000_000_000
      const events = Events.events(mine, 30, at)
      yield* store.append(mine, events)
      yield* store.append(others[0], Events.events(others[0], 5, at))
      const counts = yield* Effect.forEach([10, 10, 10, 10], (limit) => store.prune(at + 20, limit))
      assert.deepStrictEqual(counts, [10, 10, 5, 0])
      const left = events.slice(20)
      assert.deepStrictEqual((yield* store.page(mine, null, firstPage(100))).items, left.toReversed())
      assert.deepStrictEqual((yield* store.page(others[0], null, firstPage(100))).items, [])
      assert.deepStrictEqual(yield* store.find(mine, events[19]!.id), Option.none())
      assert.deepStrictEqual(yield* store.find(mine, events[20]!.id), Option.some(left[0]!))
      assert.deepStrictEqual(yield* walkTo(mine, 10), idsOf(left))
    })
  )

  it.effect("who walks forward meets each event once, while what lies behind and before goes (P106)", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      const at = 1_000_000_100_000
      // The oldest is committed last, so that removal does not begin at the walk's start.
      const [oldest, ...events] = Events.events(partition, 30, at)
      yield* store.append(partition, events)
      yield* store.append(partition, [oldest!])
      const { met, step } = yield* makeWalker(partition, { ...all, limit: 4 })
      yield* Effect.repeat(step, { until: () => met.length >= 8 })
      yield* store.prune(at + 12, 100)
      const storage = yield* Storage
      yield* Effect.exit(storage.transaction(Effect.andThen(store.prune(at + 20, 100), Effect.fail("no"))))
      yield* Effect.repeat(step, { until: () => met.length >= 26 })
      const later = Events.events(partition, 2, at + 100)
      yield* store.append(partition, later)
      yield* store.prune(at + 20, 100)
      yield* Effect.repeat(Effect.andThen(Effect.sleep("1 millis"), step), { until: () => met.length >= 28 })
      const expected = [...events.slice(0, 8), ...events.slice(11), ...later]
      assert.deepStrictEqual(met, idsOf(expected))
    })
  )

  it.effect("appending nothing is nothing", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      yield* store.append(partition, [])
      assert.deepStrictEqual(yield* store.page(partition, null, firstPage(1)), { items: [], hasMore: false })
    })
  )

  it.effect("a pattern is an exact type, everything, or a prefix of whole words at any depth", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      const types = ["a.b", "a.b.c", "a.bc.d", "ab.c", "b", "a_b.c", "aXb.c"]
      const events = types.map((type, index) => Events.event(partition, { at: Fresh.start + index, type }))
      yield* store.append(partition, events)
      yield* walkTo(partition, events.length)
      const expected: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["*", types],
        ["a.b", ["a.b"]],
        ["a.b.*", ["a.b.c"]],
        ["a.*", ["a.b", "a.b.c", "a.bc.d"]],
        ["a_b.*", ["a_b.c"]],
        ["c.*", []]
      ]
      for (const [pattern, matching] of expected) {
        const page = yield* store.page(partition, pattern, firstPage(20))
        assert.deepStrictEqual(
          page.items.map(({ type }) => type),
          matching.toReversed(),
          pattern
        )
        const forward = yield* store.pageForward(partition, { ...all, pattern })
        assert.deepStrictEqual(
          forward.items.map(({ type }) => type),
          matching,
          pattern
        )
      }
    })
  )

  it.effect("forward, oldest commit first, one page after the other", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      // Commit order is not creation order.
      const events = [3, 1, 2, 5, 4].map((at) => Events.event(partition, { at: Fresh.start + at }))
      yield* Effect.forEach(events, (event) => store.append(partition, [event]))
      assert.deepStrictEqual(yield* walkTo(partition, 5), idsOf(events))

      const first = yield* store.pageForward(partition, { ...all, limit: 2 })
      assert.deepStrictEqual([first.items, first.hasMore], [events.slice(0, 2), true])
      const rest = yield* store.pageForward(partition, { ...all, limit: 3, position: first.next })
      assert.deepStrictEqual([rest.items, rest.hasMore], [events.slice(2), false])
      const end = yield* store.pageForward(partition, { ...all, position: rest.next })
      assert.deepStrictEqual([end.items, end.hasMore], [[], false])
    })
  )

  it.effect("the same position gives the same page again", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      yield* store.append(partition, Events.events(partition, 6))
      yield* walkTo(partition, 6)
      const { next } = yield* store.pageForward(partition, { ...all, limit: 2 })
      const options = { ...all, limit: 2, position: next }
      assert.deepStrictEqual(yield* store.pageForward(partition, options), yield* store.pageForward(partition, options))
    })
  )

  it.effect("a walker at the end meets what comes later, also from an empty beginning", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      const { met, step } = yield* makeWalker(partition)
      assert.isFalse(yield* step)
      const events = Events.events(partition, 3)
      for (const event of events) {
        yield* store.append(partition, [event])
        for (let tries = 0; met.at(-1) !== event.id && tries < 10_000; tries++) {
          yield* step
          if (met.at(-1) !== event.id) yield* Effect.sleep("5 millis")
        }
      }
      assert.deepStrictEqual(met, idsOf(events))
    })
  )

  it.effect("forward, the bounds of creation leave out their own instants, and what they leave out is passed", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      const events = Events.events(partition, 6)
      yield* store.append(partition, events)
      yield* walkTo(partition, 6)
      const bounds = { ...all, createdAfter: Fresh.start, createdBefore: Fresh.start + 4 }
      const first = yield* store.pageForward(partition, { ...bounds, limit: 2 })
      assert.deepStrictEqual([idsOf(first.items), first.hasMore], [idsOf(events.slice(1, 3)), true])
      const second = yield* store.pageForward(partition, { ...bounds, limit: 2, position: first.next })
      assert.deepStrictEqual([idsOf(second.items), second.hasMore], [idsOf(events.slice(3, 4)), false])
    })
  )

  it.effect("a forward walk by pattern meets every match once, whatever lies between", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const partition = Fresh.partition()
      const events = Array.from({ length: 30 }, (_, index) =>
        Events.event(partition, { type: index % 4 === 0 ? "run.done" : "noise" })
      )
      yield* Effect.forEach(events, (event) => store.append(partition, [event]))
      yield* walkTo(partition, 30)
      const matching = idsOf(events.filter(({ type }) => type === "run.done"))
      assert.deepStrictEqual(yield* walkTo(partition, 8, { ...all, limit: 3, pattern: "run.*" }), matching)
    })
  )

  it.effect("nobody reads the events of another partition (P8)", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const { mine, others } = Fresh.neighbours()
      const event = Events.event(mine)
      yield* store.append(mine, [event])
      yield* walkTo(mine, 1)
      for (const partition of others) {
        assert.deepStrictEqual(yield* store.find(partition, event.id), Option.none())
        assert.deepStrictEqual((yield* store.page(partition, null, firstPage(5))).items, [])
        assert.deepStrictEqual((yield* store.page(partition, "order.paid", firstPage(5))).items, [])
        assert.deepStrictEqual((yield* store.pageForward(partition, all)).items, [])
      }
    })
  )

  it.effect("an event whose transaction commits late is met by a walker who was there before (P10)", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const storage = yield* Storage
      const partition = Fresh.partition()
      const [late, early] = Events.events(partition, 2)
      const appended = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const slow = yield* Effect.forkChild(
        storage.transaction(
          Effect.all([store.append(partition, [late!]), Deferred.succeed(appended, undefined), Deferred.await(release)])
        )
      )
      yield* Deferred.await(appended)
      const quick = yield* Effect.forkChild(store.append(partition, [early!]))
      const { met, step } = yield* makeWalker(partition)
      let steps = 0
      const walk = Effect.andThen(
        step,
        Effect.sync(() => steps++)
      )
      const walking = yield* Effect.forkChild(Effect.forever(Effect.andThen(walk, Effect.sleep("2 millis"))))
      // If reads wait for an open transaction, as in memory, no step follows.
      for (let polls = 0; steps < 10 && polls < 30; polls++) yield* Effect.sleep("2 millis")
      yield* Deferred.succeed(release, undefined)
      yield* Effect.all([Fiber.join(slow), Fiber.join(quick)])
      for (let tries = 0; met.length < 2 && tries < 10_000; tries++) yield* Effect.sleep("5 millis")
      yield* Fiber.interrupt(walking)
      assert.sameMembers(met, [late!.id, early!.id])
      assert.strictEqual(met.length, 2)
    })
  )

  it.effect("under 12 concurrent writers, a forward walk misses nothing and meets nothing twice (P10)", () =>
    Effect.gen(function* () {
      const partition = Fresh.partition()
      const { met, step } = yield* makeWalker(partition, { ...all, limit: 17 })
      const walking = yield* Effect.forkChild(Effect.forever(Effect.andThen(step, Effect.yieldNow)))
      const written = yield* Effect.forEach(
        Array.from({ length: 360 }).keys(),
        (index) => writeSlowly(partition, index),
        { concurrency: 12 }
      )
      const committed = written.flat()
      for (let tries = 0; met.length < committed.length && tries < 10_000; tries++) yield* Effect.sleep("5 millis")
      yield* Fiber.interrupt(walking)
      assert.deepStrictEqual(met.toSorted(), committed.toSorted())
      // A later reader meets them in the same order.
      assert.deepStrictEqual(yield* walkTo(partition, committed.length), met)
    })
  )
})
