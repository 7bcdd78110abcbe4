/** Expired captured calls are removed without a request. */
import { assert, it } from "@effect/vitest"
import * as CallRetention from "@limbeck/capture/call/CallRetention"
import { CallStore } from "@limbeck/capture/call/CallStore"
import { CallMetrics, layer as metricsLayer } from "@limbeck/capture/metrics/CallMetrics"
import { startOf } from "@limbeck/capture/metrics/TallyRules"
import { firstPage } from "@limbeck/core/pages/Page"
import * as RetentionWorker from "@limbeck/core/retention/RetentionWorker"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as RetentionRules from "../src/internal/RetentionRules.ts"
import { layer as settings } from "../src/Settings.ts"

const day = 24 * 3_600_000

/** Calls of 100 days, 30 each; the number and the oldest of those left after an hour. */
const swept = Effect.fnUntraced(function* () {
  const store = yield* CallStore
  const partition = Fresh.partition()
  yield* TestClock.setTime(Fresh.start + 100 * day)
  const made = Array.from({ length: 3_000 }, (_, n) =>
    Calls.call({ createdAt: Fresh.start + Math.floor(n / 30) * day })
  )
  yield* store.append(Calls.inPartition(partition, made))
  yield* Effect.forkChild(RetentionWorker.forever(yield* RetentionRules.all))
  yield* TestClock.adjust("1 hour")
  const { items } = yield* store.page(partition, {}, firstPage(10_000))
  return { count: items.length, oldest: items.at(-1)?.createdAt }
})

it.effect("calls of as many days as are kept stay, and no others (P64)", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* swept(), { count: 300, oldest: Fresh.start + 90 * day })
  }).pipe(Effect.provide([StorageMemory.layer, settings({ callHistoryDays: 10 + 1 / 12 })]))
)

it.effect("all calls stay where nobody says how long", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* swept(), { count: 3_000, oldest: Fresh.start })
  }).pipe(Effect.provide([StorageMemory.layer, settings()]))
)

it.effect("feedback whose call never came is dropped after a day, and counted (P101)", () =>
  Effect.gen(function* () {
    const store = yield* CallStore
    const partition = Fresh.partition()
    yield* TestClock.setTime(Fresh.start)
    const counted = Effect.map(Metric.value(CallRetention.feedbackDropped), ({ count }) => count)
    const before = yield* counted
    yield* store.insertFeedback(partition, Calls.feedback({ call: Calls.call().id, createdAt: Fresh.start }), true)
    yield* Effect.forkChild(RetentionWorker.forever(yield* RetentionRules.all))
    const left = Effect.map(store.pageFeedback(partition, {}, firstPage(10)), ({ items }) => items.length)
    yield* TestClock.adjust("23 hours")
    assert.strictEqual(yield* left, 1)
    yield* TestClock.adjust("2 hours")
    assert.strictEqual(yield* left, 0)
    assert.strictEqual(yield* counted, before + 1)
  }).pipe(Effect.provide([StorageMemory.layer, settings()]))
)

it.effect("metrics keep hours for 92 days and days for 1,100, and have no rows for older ones (P1670)", () =>
  Effect.gen(function* () {
    const [store, metrics] = [yield* CallStore, yield* CallMetrics]
    const partition = Fresh.partition()
    const first = startOf("day", Fresh.start)
    // One call on each day: more hours expire than one batch removes.
    const calls = Calls.calls(1_201, (n) => ({ createdAt: first + n * day, deployment: "dep_1" }))
    yield* store.append(Calls.inPartition(partition, calls))
    yield* TestClock.setTime(first + 1_201 * day - 30 * 60_000)
    yield* Effect.forkChild(RetentionWorker.forever(yield* RetentionRules.all))
    yield* TestClock.adjust("15 minutes")
    const startsOf = (width: "hour" | "day") =>
      Effect.map(
        Stream.runCollect(store.tallies(partition, { width, from: 0, until: Number.MAX_SAFE_INTEGER })),
        (tallies) => tallies.map(({ startsAt }) => (startsAt - first) / day).toSorted((a, b) => a - b)
      )
    const daysFrom = (from: number) => Array.from({ length: 1_201 - from }, (_, n) => from + n)
    assert.deepStrictEqual(yield* startsOf("hour"), daysFrom(1_200 - 92))
    assert.deepStrictEqual(yield* startsOf("day"), daysFrom(1_200 - 1_100))
    const old = { from: first + 1_107 * day, to: first + 1_108 * day, groupBy: undefined }
    const hours = yield* metrics.over(partition, { ...old, interval: "hour" })
    assert.deepStrictEqual(hours.rows, [])
    assert.lengthOf((yield* metrics.over(partition, { ...old, interval: "day" })).rows, 1)
    assert.strictEqual(hours.costs.get("dep_1")?.pricedCalls, calls.length)
  }).pipe(Effect.provide([Layer.provideMerge(metricsLayer, StorageMemory.layer), settings()]))
)

it.effect("a number of days that is none is refused", () =>
  Effect.gen(function* () {
    for (const callHistoryDays of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const refused = yield* Effect.flip(Effect.void.pipe(Effect.provide(settings({ callHistoryDays }))))
      assert.strictEqual(refused.setting, "callHistoryDays")
    }
  })
)
