import { assert, it } from "@effect/vitest"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import { CurrentTransformer } from "effect/sql/Statement"
import * as TestClock from "effect/testing/TestClock"
import * as T from "../src/internal/connection/PostgresTypes.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { client, freshSchema, url } from "./Database.ts"

const isCount = (text: string): boolean => /SELECT count\(\*\) AS pending FROM deliveries_due/.test(text)

/** One endpoint's statistics, with a count of its backlog that takes `tookMillis`. */
const setUp = Effect.gen(function* () {
  const schema = yield* freshSchema
  const sql = yield* client(schema)
  const partition = Fresh.partition()
  const endpointId = Fresh.id("wh")
  const counts = { made: 0, tookMillis: 0 }
  const inserting = (number: number) => sql`
    INSERT INTO deliveries_due (partition, id, endpoint_id, due_at, ready_at)
    SELECT ${partition.key}, gen_random_uuid()::text, ${T.text(endpointId)}, 0, 0 FROM generate_series(1, ${T.int(number)})`
  const told = Effect.map(
    Effect.flatMap(DeliveryStore, (store) => store.stats(partition, [endpointId], 0)),
    (stats) => stats.get(endpointId)?.pending ?? 0
  )
  const pending = Effect.provideService(told, CurrentTransformer, (statement) => {
    if (!isCount(statement.compile()[0])) return Effect.succeed(statement)
    counts.made++
    return Effect.as(TestClock.adjust(counts.tookMillis), statement)
  })
  return { counts, endpointId, inserting, partition, pending, storage: StoragePostgres.layer({ url, schema }) }
})

it.effect("a count of a backlog is told to all who ask for twenty times as long as it took (P460)", () =>
  Effect.gen(function* () {
    const { counts, inserting, pending, storage } = yield* setUp
    yield* Effect.gen(function* () {
      // Small backlogs are always counted exactly.
      assert.strictEqual(yield* pending, 0)
      counts.tookMillis = 10
      for (const number of [1, 100]) {
        yield* inserting(number === 1 ? 1 : 99)
        assert.strictEqual(yield* pending, number)
      }
      assert.strictEqual(counts.made, 0)
      yield* inserting(1)
      const together = Effect.all(
        Array.from({ length: 8 }, () => pending),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* together, Array(8).fill(101))
      yield* inserting(1)
      yield* TestClock.adjust(199)
      assert.deepStrictEqual(yield* together, Array(8).fill(101))
      assert.strictEqual(counts.made, 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* together, Array(8).fill(102))
      assert.strictEqual(counts.made, 2)
      // A slow count is reused for at most a second.
      counts.tookMillis = 60_000
      yield* TestClock.adjust(200)
      assert.strictEqual(yield* pending, 102)
      yield* inserting(1)
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* pending, 102)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* pending, 103)
      assert.strictEqual(counts.made, 4)
    }).pipe(Effect.provide(storage))
  })
)

it.effect("a transaction counts what it sees of a backlog, and tells nobody else (P460)", () =>
  Effect.gen(function* () {
    const { counts, endpointId, inserting, partition, pending, storage } = yield* setUp
    yield* Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { transaction } = yield* Storage
      const more = Events.events(partition, 50).map((event) => Deliveries.delivery(event, endpointId))
      const seen = transaction(
        Effect.andThen(store.insert(partition, more), pending).pipe(Effect.flatMap((number) => Effect.fail(number)))
      )
      yield* pending
      yield* inserting(101)
      counts.tookMillis = 10
      assert.strictEqual(yield* Effect.flip(seen), 151)
      assert.strictEqual(yield* pending, 101)
      assert.strictEqual(yield* Effect.flip(seen), 151)
    }).pipe(Effect.provide(storage))
  })
)
