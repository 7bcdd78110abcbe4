/** A host's transaction on a client of node-postgres, whatever the host has set for its own statements. */
import { assert, describe, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Notes from "@limbeck/testing/fixtures/Notes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import pg from "pg"
import * as T from "../src/internal/connection/PostgresTypes.ts"
import { HostConnection } from "../src/internal/transactions/HostConnection.ts"
import { client, freshSchema, twoPools, url } from "./Database.ts"

const connect = (config: pg.ClientConfig & { readonly binary?: boolean } = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const host = new pg.Client({ connectionString: url, ...config })
      // A killed connection also emits an error event.
      host.on("error", () => {})
      await host.connect()
      return host
    }),
    (host) => Effect.promise(() => host.end().catch(() => undefined))
  )

const send = (host: pg.ClientBase, text: string) => Effect.promise(() => host.query(text))
const only = (host: pg.ClientBase, text: string) =>
  Effect.map(send(host, text), ({ rows }) => Object.values(rows[0])[0])

/** A host with a schema of its own, in which `orders` is, and a storage on another. */
const setUp = Effect.fnUntraced(function* (config?: Parameters<typeof connect>[0]) {
  const { one, schema, sql, two } = yield* twoPools
  const shop = yield* freshSchema
  const host = yield* connect(config)
  yield* send(host, `CREATE SCHEMA ${shop}; SET search_path TO ${shop}; CREATE TABLE orders (id text PRIMARY KEY)`)
  const storage = Context.get(one, Storage)
  const events = Context.get(one, EventStore)
  const partition = Fresh.partition()
  const event = Events.event(partition)
  const append = storage.inHostTransaction(host, events.append(partition, [event]))
  const found = Effect.map(Context.get(two, EventStore).find(partition, event.id), Option.isSome)
  const orders = only(host, "SELECT count(*)::int FROM orders")
  return { one, two, schema, sql, shop, host, storage, events, partition, event, append, found, orders }
})

describe("inside the host's transaction", () => {
  it.live("what we write commits with the host's rows (P46)", () =>
    Effect.gen(function* () {
      const { append, found, host, orders } = yield* setUp()
      yield* send(host, "BEGIN; INSERT INTO orders VALUES ('or_1')")
      yield* append
      assert.isFalse(yield* found)
      yield* send(host, "COMMIT")
      assert.deepStrictEqual([yield* found, yield* orders], [true, 1])
    })
  )

  it.live("what we write goes with the host's rows when it rolls back", () =>
    Effect.gen(function* () {
      const { append, found, host, orders } = yield* setUp()
      yield* send(host, "BEGIN; INSERT INTO orders VALUES ('or_1')")
      yield* append
      yield* send(host, "ROLLBACK")
      assert.deepStrictEqual([yield* found, yield* orders], [false, 0])
    })
  )

  it.live("a connection killed before the commit leaves neither our rows nor the host's", () =>
    Effect.gen(function* () {
      const { append, event, events, found, host, partition, shop, sql, storage } = yield* setUp()
      yield* send(host, "BEGIN; INSERT INTO orders VALUES ('or_1')")
      yield* append
      const pid = Number(yield* only(host, "SELECT pg_backend_pid()"))
      yield* sql`SELECT pg_terminate_backend(${T.int(pid)}::int, 5000)`
      assert.strictEqual((yield* Effect.exit(Effect.tryPromise(() => host.query("COMMIT"))))._tag, "Failure")
      const late = storage.inHostTransaction(host, events.append(partition, [event]))
      assert.strictEqual((yield* Effect.flip(late))._tag, "HostTransactionError")
      assert.isFalse(yield* found)
      assert.deepStrictEqual(yield* sql`SELECT id FROM ${sql(`${shop}.orders`)}`, [])
    })
  )

  it.live("a connection killed during the commit leaves all of it or nothing (P46)", () =>
    Effect.gen(function* () {
      const { events, partition, shop, sql, storage } = yield* setUp()
      const buy = Effect.fnUntraced(function* (number: number) {
        const host = yield* connect()
        const event = Events.event(partition)
        const pid = Number(yield* only(host, "SELECT pg_backend_pid()"))
        yield* send(host, `BEGIN; INSERT INTO ${shop}.orders VALUES ('${event.id}')`)
        yield* storage.inHostTransaction(host, events.append(partition, [event]))
        const commit = Effect.exit(Effect.tryPromise(() => host.query("COMMIT")))
        const kill = sql`SELECT pg_terminate_backend(${T.int(pid)}::int, 5000)`
        yield* Effect.all(number % 2 === 0 ? [commit, kill] : [kill, commit], { concurrency: "unbounded" })
        const orders = yield* sql`SELECT id FROM ${sql(`${shop}.orders`)} WHERE id = ${event.id}`
        assert.strictEqual(orders.length === 1, Option.isSome(yield* events.find(partition, event.id)))
      }, Effect.scoped)
      yield* Effect.forEach(Array.from({ length: 20 }).keys(), buy, { discard: true })
    })
  )

  it.live("the host's statements find their own tables before, after and when we fail", () =>
    Effect.gen(function* () {
      const { append, host, orders, shop, storage } = yield* setUp()
      const path = only(host, "SHOW search_path")
      // A temporary table with one of our names, first in the host's search path.
      yield* send(host, "CREATE TEMP TABLE events (mine text)")
      yield* send(host, `BEGIN; SET LOCAL search_path TO pg_temp, ${shop}; INSERT INTO orders VALUES ('or_1')`)
      yield* append
      assert.strictEqual(yield* path, `pg_temp, ${shop}`)
      yield* Effect.flip(storage.inHostTransaction(host, Effect.fail("no")))
      assert.strictEqual(yield* path, `pg_temp, ${shop}`)
      yield* send(host, "INSERT INTO events VALUES ('mine'); INSERT INTO orders VALUES ('or_2'); COMMIT")
      assert.deepStrictEqual([yield* path, yield* orders], [shop, 2])
    })
  )

  it.live("a failure of ours is undone, and the host goes on", () =>
    Effect.gen(function* () {
      const { append, events, found, host, orders, partition, storage } = yield* setUp()
      yield* send(host, "BEGIN; INSERT INTO orders VALUES ('or_1')")
      const other = Events.event(partition)
      const failing = Effect.andThen(events.append(partition, [other]), Effect.fail("no"))
      assert.strictEqual(yield* Effect.flip(storage.inHostTransaction(host, failing)), "no")
      yield* append
      yield* send(host, "COMMIT")
      assert.deepStrictEqual([yield* found, yield* orders], [true, 1])
      assert.deepStrictEqual(yield* events.find(partition, other.id), Option.none())
    })
  )

  it.live("a refusal of the database is told with its code, and the host goes on", () =>
    Effect.gen(function* () {
      const { append, found, host, orders, schema } = yield* setUp()
      const stranger = `${schema}_stranger`.slice(0, 63)
      yield* Effect.acquireRelease(send(host, `CREATE ROLE ${stranger}`), () => send(host, `DROP ROLE ${stranger}`))
      yield* send(host, `BEGIN; INSERT INTO orders VALUES ('or_1'); SET LOCAL ROLE ${stranger}`)
      const error = yield* Effect.flip(append)
      assert.strictEqual(error._tag, "HostTransactionError")
      assert.include(error, { code: "42P01" })
      yield* send(host, "RESET ROLE; INSERT INTO orders VALUES ('or_2'); COMMIT")
      assert.deepStrictEqual([yield* found, yield* orders], [false, 2])
    })
  )

  it.live("a client without a transaction, a pool and a failed transaction are refused in words", () =>
    Effect.gen(function* () {
      const { append, events, found, host, partition, storage } = yield* setUp()
      assert.include(yield* Effect.flip(append), { _tag: "HostTransactionError", code: "25P01" })

      const pool = new pg.Pool({ connectionString: url })
      const pooled = yield* Effect.flip(storage.inHostTransaction(pool, events.append(partition, [])))
      assert.include(pooled.message, "send BEGIN on it first")
      yield* Effect.promise(() => pool.end())

      yield* send(host, "BEGIN")
      yield* Effect.exit(Effect.tryPromise(() => host.query("SELECT 1 / 0")))
      assert.include(yield* Effect.flip(append), { _tag: "HostTransactionError", code: "25P02" })
      yield* send(host, "ROLLBACK")
      assert.isFalse(yield* found)
    })
  )

  it.live("two at once on one client take turns", () =>
    Effect.gen(function* () {
      const { events, host, partition, shop, storage } = yield* setUp()
      const many = Events.events(partition, 5)
      yield* send(host, "BEGIN")
      yield* Effect.forEach(many, (event) => storage.inHostTransaction(host, events.append(partition, [event])), {
        concurrency: "unbounded"
      })
      assert.strictEqual(yield* only(host, "SHOW search_path"), shop)
      yield* send(host, "COMMIT")
      for (const { id } of many) assert.isTrue(Option.isSome(yield* events.find(partition, id)))
    })
  )

  it.live("a nudge rings in every process when the host commits, this one included, and not when it rolls back", () =>
    Effect.gen(function* () {
      const { host, one, storage, two } = yield* setUp()
      const [queue, other] = [Context.get(one, Queue), Context.get(two, Queue)]
      const bells = [yield* queue.doorbell("topic"), yield* other.doorbell("topic")]
      const ring = Effect.forEach(bells, (bell) => bell.await)
      // Of the listening connections themselves.
      yield* ring
      yield* send(host, "BEGIN")
      yield* storage.inHostTransaction(host, queue.nudge("topic"))
      yield* send(host, "ROLLBACK; BEGIN")
      yield* storage.inHostTransaction(host, queue.nudge("topic"))
      const early = yield* Effect.timeoutOption(Effect.raceAll(bells.map((bell) => bell.await)), "50 millis")
      assert.deepStrictEqual(early, Option.none())
      yield* send(host, "COMMIT")
      yield* ring
    })
  )

  it.live("nobody may wait for a commit that is not seen", () =>
    Effect.gen(function* () {
      const { host, storage } = yield* setUp()
      yield* send(host, "BEGIN")
      assert.isFalse(yield* storage.inHostTransaction(host, storage.seesCommit))
      const waiting = yield* Effect.exit(storage.inHostTransaction(host, storage.afterCommit(Effect.void)))
      assert.strictEqual(waiting._tag, "Failure")
    })
  )

  it.live("a forward walk meets events of interleaved transactions exactly once, at every isolation (P46)", () =>
    Effect.gen(function* () {
      const { events, partition, storage } = yield* setUp()
      const isolations = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]
      const hosts = yield* Effect.forEach([...isolations, ...isolations], () => connect())
      const met: Array<string> = []
      let position: string | null = null
      const walk = Effect.gen(function* () {
        const page = yield* events.pageForward(partition, {
          position,
          pattern: null,
          limit: 2,
          createdAfter: null,
          createdBefore: null
        })
        met.push(...page.items.map(({ id }) => id))
        position = page.next
        return page.hasMore
      })
      const expected: Array<string> = []
      for (const [index, each] of hosts.entries()) {
        yield* send(each, `BEGIN ISOLATION LEVEL ${isolations[index % 3]}; SELECT 1`)
        const made = Events.events(partition, 2)
        expected.push(...made.map(({ id }) => id))
        yield* storage.inHostTransaction(each, events.append(partition, made))
        // One of our transactions commits while the host's are open.
        const ours = Events.event(partition)
        expected.push(ours.id)
        yield* storage.transaction(events.append(partition, [ours]))
        yield* walk
      }
      for (const each of hosts.toReversed()) {
        yield* send(each, "COMMIT")
        yield* walk
      }
      yield* Effect.repeat(walk, { until: () => met.length >= expected.length })
      yield* walk
      assert.deepStrictEqual(met.toSorted(), expected.toSorted())
    })
  )
})

/** Every parameter type of our statements, as understood by the database, and every column type. */
const values = [
  T.text("quotes \"' and \\ and {,} and \u{1f600}"),
  T.textOrNull(null),
  T.int(Number.MAX_SAFE_INTEGER),
  T.int(-1),
  T.texts(["", "NULL", 'a"b', "c\\d", "{e,f}", " g ", "h\ni"]),
  T.texts([]),
  T.ints([1, null, -3]),
  T.floats([0.5, -1e300]),
  T.bools([true, false]),
  T.jsons([{ a: 'x"\\y' }, [1, null], "text", null]),
  T.json({ a: [1, "b", null, { c: true }] }),
  T.bytea(new Uint8Array([0, 1, 254, 255])),
  true,
  false
]
const places = values.map((_, index) => `to_json($${index + 1}) AS v${index}`).join(", ")
const columns = `SELECT 'text' AS a, 9007199254740991::int8 AS b, 7::int4 AS c, 0.5::float8 AS d, true AS e, false AS f,
  '{"g": [1]}'::json AS g, '{"h": null}'::jsonb AS h, '\\x00ff'::bytea AS i, NULL::int8 AS j, count(*) AS k FROM (SELECT 1) x`

describe("a connection of the host's", () => {
  for (const binary of [false, true]) {
    const kind = binary ? "one that asks for binary answers" : "an ordinary one"
    it.live(`understands our parameters and answers as one of ours does: ${kind}`, () =>
      Effect.gen(function* () {
        const sql = yield* client("public")
        const host = new HostConnection(yield* connect({ binary }))
        assert.deepStrictEqual(
          yield* host.execute(`SELECT ${places}`, values),
          yield* sql.unsafe(`SELECT ${places}`, values)
        )
        assert.deepStrictEqual(yield* host.execute(columns, []), yield* sql.unsafe(columns))
        assert.deepStrictEqual(yield* host.executeValues(columns, []), yield* sql.unsafe(columns).values)
      })
    )
  }

  it.live("reads rows by our rules, also when the host has set others for all of its own", () =>
    Effect.gen(function* () {
      const { host, one, partition, storage } = yield* setUp()
      const types = [20, 23, 25, 16, 114, 1009]
      const before = types.map((oid) => pg.types.getTypeParser(oid))
      yield* Effect.acquireRelease(
        Effect.sync(() => types.forEach((oid) => void pg.types.setTypeParser(oid, () => "mine"))),
        () => Effect.sync(() => types.forEach((oid, index) => void pg.types.setTypeParser(oid, before[index]!)))
      )
      const store = Context.get(one, ResourceStore)
      const note = Notes.note({ title: "t", tags: ["a", "b"], content: { n: [1, null] } })
      yield* send(host, "BEGIN")
      const written = store.insert(partition, Notes.kind, note)
      const read = store.findByLabels(partition, Notes.kind, ["b"])
      assert.deepStrictEqual(yield* storage.inHostTransaction(host, Effect.andThen(written, read)), [note])
      assert.strictEqual(yield* only(host, "SELECT 1"), "mine")
    })
  )
})
