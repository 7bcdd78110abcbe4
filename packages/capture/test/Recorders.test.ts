/** From the recorder to storage: waiting, dropping, and the cost of one bad record. */
import { assert, it } from "@effect/vitest"
import * as CallHolds from "@limbeck/billing/calls/CallHolds"
import * as TokenUses from "@limbeck/billing/limits/TokenUses"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import { firstPage } from "@limbeck/core/pages/Page"
import * as Partition from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Crypto from "@limbeck/node/Crypto"
import * as NodeDecoder from "@limbeck/node/capture/NodeDecoder"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { partition, range, record } from "@limbeck/testing/fixtures/CallRecords"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import type { CaptureRecord, ShadowRecord } from "../src/call/CallRecord.ts"
import { CallStore, RecordRefused, verificationTopic } from "../src/call/CallStore.ts"
import * as MemoryShelf from "../src/journal/internal/MemoryShelf.ts"
import { Journal } from "../src/journal/Journal.ts"
import { Recorder } from "../src/journal/Recorder.ts"
import * as Recorders from "../src/journal/Recorders.ts"
import { CaptureLimits } from "../src/Limits.ts"

const failure = new StorageError({ operation: "append calls", cause: "connection lost" })

interface Weather {
  isDown: boolean
  /** Id of a call that every storage refuses. */
  poison: string | null
  /** Attempts until storage goes away; null: never. */
  leavesAfter: number | null
  /** Calls of each append that was tried. */
  readonly appends: Array<number>
}

const fair = (): Weather => ({ isDown: false, poison: null, leavesAfter: null, appends: [] })

/** Memory storage in this weather. */
const storage = (weather: Weather) => {
  const calls = Layer.effect(
    CallStore,
    Effect.map(CallStore, (store) =>
      CallStore.of({
        ...store,
        append: (owned) =>
          Effect.suspend(() => {
            weather.appends.push(owned.length)
            const isAway = weather.leavesAfter !== null && weather.appends.length > weather.leavesAfter
            if (weather.isDown || isAway) return Effect.fail(failure)
            const isRefused = owned.some(({ value }) => value.id === weather.poison)
            return isRefused ? Effect.fail(new RecordRefused({ reason: "test" })) : store.append(owned)
          })
      })
    )
  )
  return Layer.provideMerge(calls, StorageMemory.layer)
}

const world = (weather: Weather) =>
  Recorders.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(storage(weather), NodeDecoder.layer, CallHolds.none, TokenUses.none, Crypto.layer)
    ),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
  )

const recordAll = (indices: ReadonlyArray<number>) =>
  Effect.flatMap(Recorder, (recorder) =>
    Effect.forEach(indices, (index) => recorder.record(record(index), "buffered"), { discard: true })
  )

const figures = Effect.flatMap(Recorder, (recorder) => recorder.figures)

const idOf = (index: number) => record(index).id

/** The ids in storage, oldest first. */
const stored = Effect.flatMap(CallStore, (store) =>
  Effect.map(
    store.page(Partition.fromKey(partition), {}, { limit: 100, after: null, createdAfter: null, createdBefore: null }),
    ({ items }) => items.map(({ id }) => id).reverse()
  )
)

it.effect("what is recorded is stored within a linger, in one batch", () => {
  const weather = fair()
  return Effect.gen(function* () {
    yield* recordAll(range(0, 50))
    yield* TestClock.adjust(CaptureLimits.captureLingerMillis)
    assert.deepStrictEqual(yield* stored, range(0, 50).map(idOf))
    assert.deepStrictEqual(weather.appends, [50])
    assert.deepStrictEqual(yield* figures, { waiting: 0, dropped: 0, trouble: null })
  }).pipe(Effect.provide(world(weather)))
})

it.effect("a batch that is full does not wait for others", () => {
  const weather = fair()
  return Effect.gen(function* () {
    yield* recordAll(range(0, CaptureLimits.captureBatchMax + 1))
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(weather.appends, [CaptureLimits.captureBatchMax])
  }).pipe(Effect.provide(world(weather)))
})

it.effect("while storage is down all waits, for as long as it takes, and then all is stored once (P66)", () => {
  const weather = fair()
  return Effect.gen(function* () {
    weather.isDown = true
    yield* recordAll(range(0, 20))
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(yield* figures, { waiting: 20, dropped: 0, trouble: null })
    yield* recordAll(range(20, 40))
    weather.isDown = false
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(yield* stored, range(0, 40).map(idOf))
    assert.strictEqual((yield* figures).waiting, 0)
  }).pipe(Effect.provide(world(weather)))
})

it.effect("a call that storage refuses is dropped and counted, and holds up no other (P69)", () => {
  const weather = fair()
  return Effect.gen(function* () {
    weather.poison = idOf(37)
    yield* recordAll(range(0, 60))
    yield* TestClock.adjust("2 minutes")
    assert.deepStrictEqual(
      yield* stored,
      range(0, 60)
        .filter((index) => index !== 37)
        .map(idOf)
    )
    assert.deepStrictEqual(yield* figures, { waiting: 0, dropped: 1, trouble: null })
  }).pipe(Effect.provide(world(weather)))
})

it.effect("an outage while a refused call is looked for drops no other (P69, P121)", () => {
  const weather = fair()
  return Effect.gen(function* () {
    weather.poison = idOf(1)
    yield* recordAll(range(0, 8))
    // Storage goes away during the search, after the first two attempts.
    weather.leavesAfter = 2
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual((yield* figures).dropped, 0)
    assert.deepStrictEqual(yield* stored, [])
    weather.leavesAfter = null
    yield* TestClock.adjust("2 minutes")
    assert.deepStrictEqual(
      yield* stored,
      range(0, 8)
        .filter((index) => index !== 1)
        .map(idOf)
    )
    assert.strictEqual((yield* figures).dropped, 1)
  }).pipe(Effect.provide(world(weather)))
})

it.effect("an answer that this server cuts is failed, not left by its client", () => {
  const weather = fair()
  return Effect.gen(function* () {
    const recorder = yield* Recorder
    yield* recorder.record({ ...record(0), outcome: "aborted" }, "buffered")
    yield* recorder.cut
    yield* recorder.record({ ...record(1), outcome: "aborted" }, "buffered")
    yield* TestClock.adjust(CaptureLimits.captureLingerMillis)
    const { items } = yield* (yield* CallStore).page(Partition.fromKey(partition), {}, firstPage(10))
    assert.deepStrictEqual(
      items.map(({ outcome }) => outcome),
      ["failed", "aborted"]
    )
  }).pipe(Effect.provide(world(weather)))
})

it.effect("what waits when the process ends is stored first", () => {
  const weather = fair()
  return Effect.gen(function* () {
    yield* Effect.provide(
      recordAll(range(0, 5)),
      Layer.provide(Recorders.layer, Layer.merge(CallHolds.none, TokenUses.none))
    )
    assert.deepStrictEqual(yield* stored, range(0, 5).map(idOf))
  }).pipe(Effect.provide(Layer.mergeAll(storage(weather), NodeDecoder.layer, Crypto.layer)))
})

it.effect("a journal takes what is to outlive the process, and the buffer the rest", () => {
  const journal = MemoryShelf.make({ records: 10, bytes: 1024 ** 2 })
  const weather = { ...fair(), isDown: true }
  return Effect.gen(function* () {
    const recorder = yield* Recorder
    yield* recorder.record(record(0), "journal")
    yield* recorder.record(record(1), "buffered")
    assert.strictEqual((yield* journal.figures).waiting, 1)
    assert.strictEqual((yield* recorder.figures).waiting, 2)
    weather.isDown = false
    yield* TestClock.adjust("5 seconds")
    assert.sameMembers([...(yield* stored)], [idOf(0), idOf(1)])
  }).pipe(Effect.provide(Layer.provide(world(weather), Layer.succeed(Journal, journal))))
})

it.effect("a buffer that is full drops what comes, counts it, and says so until there is room (P67)", () =>
  Effect.gen(function* () {
    const shelf = MemoryShelf.make({ records: 3, bytes: 1024 ** 2 })
    yield* Effect.forEach(range(0, 5), (index) => shelf.put(record(index)), { discard: true })
    const trouble = "The buffer of captured calls is full"
    assert.deepStrictEqual(yield* shelf.figures, { waiting: 3, dropped: 2, trouble })
    yield* shelf.next({ records: 2, bytes: 1024 ** 2 })
    yield* shelf.acknowledge
    assert.deepStrictEqual(yield* shelf.figures, { waiting: 1, dropped: 2, trouble: null })
    const tight = MemoryShelf.make({ records: 100, bytes: 1_000 })
    yield* Effect.forEach(range(0, 5), (index) => tight.put(record(index)), { discard: true })
    assert.strictEqual((yield* tight.figures).waiting, 1)
  })
)

it.effect(
  "settles once the records that waited are stored, whatever comes meanwhile, and after 2 seconds of outage (P1740)",
  () => {
    const weather = fair()
    return Effect.gen(function* () {
      const recorder = yield* Recorder
      yield* recorder.settle
      yield* recordAll(range(0, 3))
      const settling = yield* Effect.forkChild(recorder.settle)
      yield* TestClock.adjust(CaptureLimits.captureLingerMillis - 1)
      assert.isUndefined(settling.pollUnsafe())
      assert.deepStrictEqual(yield* stored, [])
      yield* TestClock.adjust(1)
      weather.isDown = true
      yield* recordAll(range(3, 4))
      yield* TestClock.adjust(Limits.lookMillis)
      assert.isDefined(settling.pollUnsafe())
      assert.deepStrictEqual([yield* stored, (yield* figures).waiting], [range(0, 3).map(idOf), 1])
      const late = yield* Effect.forkChild(recorder.settle)
      yield* TestClock.adjust("2 seconds")
      assert.isDefined(late.pollUnsafe())
      weather.isDown = false
    }).pipe(Effect.provide(world(weather)))
  }
)

it.effect("who stores verifications rings for those who count them, and nobody rings for other records (P243)", () =>
  Effect.gen(function* () {
    const recorder = yield* Recorder
    const bell = yield* (yield* Queue).doorbell(verificationTopic)
    const shadow = (verifies: boolean): ShadowRecord => ({
      kind: "shadow",
      partition,
      call: idOf(verifies ? 1 : 0),
      deployment: "dep_00000000000000000000000001",
      error: null,
      message: "{}",
      confidence: null,
      latencyMillis: 1,
      agrees: true,
      verifies,
      createdAt: 1_000
    })
    const isRung = Effect.fnUntraced(function* (records: ReadonlyArray<CaptureRecord>) {
      for (const one of records) yield* recorder.record(one, "buffered")
      const rung = yield* Effect.forkChild(Effect.timeoutOption(bell.await, 60_000))
      yield* TestClock.adjust(60_000)
      return Option.isSome(yield* Fiber.join(rung))
    })
    assert.isFalse(yield* isRung([record(0), shadow(false)]))
    assert.isTrue(yield* isRung([shadow(false), shadow(true)]))
    assert.lengthOf(yield* Effect.flatMap(CallStore, (store) => store.takeVerifications(10)), 1)
  }).pipe(Effect.provide(world(fair())))
)
