import type * as PgTypes from "@effect/sql-pg/PgTypes"
import { assert, describe, it } from "@effect/vitest"
import { Patience } from "@limbeck/core/storage/Patience"
import * as Wire from "@limbeck/testing/database/Wire"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import * as BoundedClient from "../src/internal/connection/BoundedClient.ts"
import { clientConfig } from "../src/internal/connection/Connection.ts"
import * as T from "../src/internal/connection/PostgresTypes.ts"
import { lookUp } from "../src/internal/connection/Writes.ts"
import { client, freshSchema, url } from "./Database.ts"

const openWire = Effect.gen(function* () {
  const ends: Array<() => unknown> = []
  const opening = Effect.promise(() => Wire.open((end) => ends.push(end), new URL(url)))
  return yield* Effect.acquireRelease(opening, () =>
    Effect.sync(() => {
      for (const end of ends) end()
    })
  )
})

/** A client with recorded messages, and a second client that prepares the tables. */
const setUp = Effect.gen(function* () {
  const schema = yield* freshSchema
  const wire = yield* openWire
  const other = yield* client(schema)
  yield* other`CREATE SCHEMA ${other(schema)}`.unprepared
  yield* other`CREATE TABLE notes (number bigint)`.unprepared
  const sql = yield* BoundedClient.make(clientConfig({ url: wire.url }, schema), () => performance.now())
  const ask = (number: number) => lookUp(sql)(sql`SELECT ${T.int(number)} AS number`)
  // From here on there is a connection.
  yield* ask(0)
  return { sql, other, ask, wire }
}).pipe(Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make))

/** Without what each new connection begins with. */
const statementsOf = (trips: ReadonlyArray<Wire.Trip>) =>
  trips.flatMap(({ statements }) => statements).filter((statement) => !statement.includes("set_config("))

const numbers = Array.from({ length: 40 }, (_, index) => index)

const all = <A>(asked: ReadonlyArray<Effect.Effect<A, SqlError>>) =>
  Effect.all(asked.map(Effect.exit), { concurrency: "unbounded" })

const failures = (exits: ReadonlyArray<Exit.Exit<unknown, unknown>>) => exits.filter(Exit.isFailure).length

describe("short reads outside of transactions", () => {
  it.effect("of many fibers go out in few packets, and each gets its own answer (P230)", () =>
    Effect.gen(function* () {
      const { ask, wire } = yield* setUp
      const before = wire.trips.length
      const answers = yield* Effect.all(numbers.map(ask), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers,
        numbers.map((number) => [{ number }])
      )
      const trips = wire.trips.slice(before).filter(({ statements }) => statements.length > 0)
      assert.lengthOf(statementsOf(trips), numbers.length)
      assert.isAtMost(trips.length, numbers.length / 4)
    })
  )

  it.effect("that ask the same before it is sent share one, whoever leaves, and others than the same none (P393)", () =>
    Effect.gen(function* () {
      const { sql, wire } = yield* setUp
      const before = wire.trips.length
      const ask = (value: PgTypes.Parameter) => lookUp(sql)(sql`SELECT ${value}::text AS value`)
      const values = [T.text("1"), T.int(1), T.int(2), T.texts(["1", "2"]), T.texts(["1,2"]), T.textOrNull(null)]
      const leaving = yield* Effect.forEach(values, (value) => Effect.forkChild(ask(value)))
      const staying = yield* Effect.forkChild(
        Effect.all([...values, ...values, ...values].map(ask), { concurrency: "unbounded" })
      )
      yield* Effect.yieldNow
      yield* Fiber.interruptAll(leaving)
      const answers = ["1", "1", "2", "{1,2}", '{"1,2"}', null].map((value) => [{ value }])
      assert.deepStrictEqual(yield* Fiber.join(staying), [...answers, ...answers, ...answers])
      assert.lengthOf(statementsOf(wire.trips.slice(before)), values.length)
    })
  )

  it.effect("are refused one by one (P230)", () =>
    Effect.gen(function* () {
      const { ask, sql } = yield* setUp
      const wrong = lookUp(sql)(sql`SELECT number FROM nowhere`)
      const exits = yield* all([ask(1), wrong, ask(2), wrong, ask(3)])
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true, false, true])
    })
  )

  it.effect("see what was committed before they were asked, also while others are under way (P230)", () =>
    Effect.gen(function* () {
      const { ask, other, sql } = yield* setUp
      const count = lookUp(sql)(sql`SELECT count(*) AS number FROM notes`)
      // Others ask the same all the time.
      const busy = yield* Effect.forkChild(Effect.forever(all(numbers.flatMap((number) => [ask(number), count]))))
      for (const number of numbers) {
        yield* other`INSERT INTO notes VALUES (${T.int(number)})`
        assert.deepStrictEqual(yield* count, [{ number: number + 1 }])
      }
      yield* Fiber.interrupt(busy)
    })
  )

  it.effect("belong to the transaction that they are asked in (P230)", () =>
    Effect.gen(function* () {
      const { sql } = yield* setUp
      const count = lookUp(sql)(sql`SELECT count(*) AS number FROM notes`)
      const rows = yield* sql.withTransaction(Effect.andThen(sql`INSERT INTO notes VALUES (1)`, count))
      assert.deepStrictEqual(rows, [{ number: 1 }])
    })
  )

  it.effect("that nobody waits for any more take nothing from the others (P230)", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const leaving = yield* Effect.forEach(numbers, (number) => Effect.forkChild(ask(number)))
      const staying = yield* Effect.forkChild(ask(41))
      yield* Effect.yieldNow
      yield* Fiber.interruptAll(leaving)
      assert.deepStrictEqual(yield* Fiber.join(staying), [{ number: 41 }])
    })
  )
})

describe("a packet of reads without an answer", () => {
  it.live("keeps no others waiting, and fails with what it holds (P231)", () =>
    Effect.gen(function* () {
      const { ask, other, sql } = yield* setUp
      const slow = (number: number) =>
        lookUp(sql)(sql`SELECT pg_sleep(600), ${T.int(number)} AS number, 'a packet that is late' AS mark`)
      const late = yield* Effect.forkChild(Effect.provideService(all([slow(0), ask(1)]), Patience, 300))
      // More than may be under way at once, again and again until they are seen there.
      let areSeen = false
      const asked = Effect.provideService(all(Array.from({ length: 60 }, (_, index) => slow(index))), Patience, 600)
      const more = yield* Effect.forkChild(Effect.repeat(asked, { until: () => areSeen }))
      const running = other`SELECT 1 FROM pg_stat_activity WHERE query LIKE '%a packet that is late%' AND pid <> pg_backend_pid()`
      yield* Effect.repeat(running, { until: (rows) => rows.length > 3 })
      areSeen = true
      assert.deepStrictEqual(yield* ask(2), [{ number: 2 }])
      assert.strictEqual(failures(yield* Fiber.join(late)), 2)
      assert.strictEqual(failures(yield* Fiber.join(more)), 60)
      // The server has ended them long before their sleeps are over.
      yield* Effect.timeout(Effect.repeat(running, { until: (rows) => rows.length === 0 }), "50 seconds")
      assert.deepStrictEqual(
        yield* all(numbers.map(ask)),
        numbers.map((number) => Exit.succeed([{ number }]))
      )
    })
  )

  it.live("fails at once where its connection is lost, and later reads go on (P231)", () =>
    Effect.gen(function* () {
      const { ask, other, sql } = yield* setUp
      const slow = lookUp(sql)(sql`SELECT pg_sleep(600), 'a packet that is lost' AS mark`)
      const lost = yield* Effect.forkChild(all([slow, ask(1)]))
      const end = other`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE query LIKE '%a packet that is lost%' AND pid <> pg_backend_pid()`
      yield* Effect.repeat(end, { until: (rows) => rows.length > 0 })
      assert.strictEqual(failures(yield* Fiber.join(lost)), 2)
      assert.deepStrictEqual(yield* ask(2), [{ number: 2 }])
    })
  )
})
