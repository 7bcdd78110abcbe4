import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import { EventStore } from "@limbeck/core/events/EventStore"
import * as CoreEvents from "@limbeck/core/events/Events"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import * as Ids from "@limbeck/core/ids/Ids"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Patience } from "@limbeck/core/storage/Patience"
import { Storage } from "@limbeck/core/storage/Storage"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Wire from "@limbeck/testing/database/Wire"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as WebhookFanout from "@limbeck/webhooks/delivery/WebhookFanout"
import * as Endpoint from "@limbeck/webhooks/endpoint/Endpoint"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as BoundedClient from "../src/internal/connection/BoundedClient.ts"
import { clientConfig } from "../src/internal/connection/Connection.ts"
import { failAs } from "../src/internal/connection/PostgresError.ts"
import { hold } from "../src/internal/connection/Writes.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
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

/** A statement's verb and table. */
const briefly = (statement: string): string =>
  /^(?:SELECT .*? FROM|INSERT INTO|DELETE FROM|UPDATE) \w+|^\w+/
    .exec(statement)?.[0]
    .replace(/^SELECT .* /, "SELECT ") ?? ""

/** The trips of the last transaction that `act` made, in brief. */
const tripsOf = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const wire = yield* openWire
    const schema = yield* freshSchema
    const ports = yield* Layer.build(StoragePostgres.layer({ url: wire.url, schema }))
    const before = wire.trips.length
    const exit = yield* Effect.exit(Effect.provideContext(act, ports))
    const last = Wire.transactions(wire.trips.slice(before)).at(-1) ?? []
    return { exit, sent: last.map(({ statements }) => statements.map(briefly)) }
  })

const partition = Fresh.partition()

/** Publishing and fan-out, without sending. */
const engine = Layer.provide(CoreEvents.layer, WebhookFanout.layer).pipe(
  Layer.provide(Layer.provide(Ids.layer, SecureRandom.layerWebCrypto))
)

const endpoint: Endpoint.Endpoint = {
  id: Deliveries.endpointId(),
  url: "https://example.com/hook",
  description: "",
  enabledEvents: ["*"],
  apiVersion: ApiVersions.newest,
  status: "enabled",
  sealedSecret: "",
  sealedPreviousSecret: null,
  previousSecretExpiresAt: null,
  createdAt: Fresh.start,
  updatedAt: Fresh.start
}

const append = (event = Events.event(partition)) =>
  Effect.flatMap(EventStore, (events) => events.append(partition, [event]))

const find = (id: string) => Effect.flatMap(EventStore, (events) => events.find(partition, id))

const offer = Effect.flatMap(Queue, (queue) => queue.offer(partition, "topic", "subject", Fresh.start))

const within = (...all: ReadonlyArray<Effect.Effect<unknown, unknown, EventStore | Queue>>) =>
  Effect.flatMap(Storage, (storage) => storage.transaction(Effect.all(all, { discard: true })))

describe("what a transaction sends", () => {
  it.effect("writes go out in order, in one packet with the commit behind them (P181)", () =>
    Effect.gen(function* () {
      const { sent } = yield* tripsOf(within(append(), offer, append()))
      assert.deepStrictEqual(sent, [
        ["BEGIN"],
        ["INSERT INTO events", "INSERT INTO work", "INSERT INTO events", "COMMIT"]
      ])
    })
  )

  it.effect("a read goes out at once, behind the writes that it is to see (P181)", () =>
    Effect.gen(function* () {
      const event = Events.event(partition)
      const look = Effect.tap(find(event.id), (found) => Effect.sync(() => assert.isTrue(Option.isSome(found))))
      const { exit, sent } = yield* tripsOf(within(find("evt_none"), append(event), offer, look, offer))
      assert.strictEqual(exit._tag, "Success")
      assert.deepStrictEqual(sent, [
        ["BEGIN", "SELECT events"],
        ["INSERT INTO events", "INSERT INTO work", "SELECT events"],
        ["INSERT INTO work", "COMMIT"]
      ])
    })
  )

  it.effect("a key is locked and looked up as its transaction begins, and found no second time (P181)", () =>
    Effect.gen(function* () {
      const { sent } = yield* tripsOf(
        Effect.flatMap(IdempotencyStore, (store) => {
          const record = {
            key: "key",
            fingerprint: "f",
            status: 201,
            body: "{}",
            sealed: false,
            expiresAt: Fresh.start
          }
          const found = Effect.map(store.find(partition, "key"), Option.isSome)
          const use = Effect.all([found, Effect.as(store.record(partition, record), null), found])
          return Effect.tap(store.exclusively(partition, "key", use), ([before, , after]) =>
            Effect.sync(() => assert.deepStrictEqual([before, after], [false, true]))
          )
        })
      )
      assert.deepStrictEqual(sent, [
        ["BEGIN", "SELECT", "SELECT idempotency_records"],
        ["INSERT INTO idempotency_records", "SELECT idempotency_records"],
        ["COMMIT"]
      ])
    })
  )

  it.effect("what is held of a transaction that fails is never sent (P181)", () =>
    Effect.gen(function* () {
      const { sent } = yield* tripsOf(Effect.exit(within(find("evt_none"), append(), Effect.fail("refused"))))
      assert.deepStrictEqual(sent, [["BEGIN", "SELECT events"], ["ROLLBACK"]])
    })
  )

  it.effect("an event waits twice: for who wants it, and for its commit with its deliveries (P184)", () =>
    Effect.gen(function* () {
      const published = Effect.gen(function* () {
        yield* (yield* ResourceStore).add(partition, Endpoint.kind, endpoint)
        const publish = (yield* CoreEvents.Events).publish(partition, [{ type: "a.b", object: {} }])
        // The first publish prepares the process's caches.
        yield* publish
        return yield* publish
      })
      const { sent } = yield* tripsOf(Effect.provide(published, engine))
      assert.deepStrictEqual(sent, [
        ["BEGIN", "SELECT resources"],
        ["INSERT INTO events", "WITH", "COMMIT"]
      ])
    })
  )

  it.effect("of a transaction that says nothing nothing is sent", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* tripsOf(within(Effect.void))).sent, [])
    })
  )

  it.effect("more writes than are held at once all arrive, in order", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 150 }, () => Events.event(partition))
      const { exit, sent } = yield* tripsOf(
        Effect.andThen(
          within(...many.map((event) => append(event))),
          Effect.forEach(many, ({ id }) => find(id), { concurrency: 4 })
        )
      )
      assert.isTrue(exit._tag === "Success" && exit.value.every(Option.isSome))
      assert.strictEqual(sent.flat().filter((statement) => statement === "INSERT INTO events").length, 150)
      assert.isAtMost(sent.length, 4)
    })
  )
})

describe("a write after the end of its transaction", () => {
  const lines: Array<unknown> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])

  it.effect("is a defect that is logged, and is never sent (P1412)", () =>
    Effect.gen(function* () {
      const { exit, sent } = yield* tripsOf(
        Effect.gen(function* () {
          const storage = yield* Storage
          const inside = yield* storage.transaction(Effect.context<EventStore>())
          return yield* Effect.exit(Effect.provideContext(append(), inside))
        })
      )
      assert.isTrue(Exit.isSuccess(exit) && Exit.isFailure(exit.value) && Cause.hasDies(exit.value.cause))
      assert.deepStrictEqual(lines, [["invariant_broken", "1: a write came after the end of its transaction"]])
      assert.notInclude(sent.flat(), "INSERT INTO events")
    }).pipe(Effect.provide(logger))
  )
})

describe("a held write that is refused", () => {
  const event = Events.event(partition)

  it.effect("fails its commit under its own name, and nothing of the transaction stays (P182)", () =>
    Effect.gen(function* () {
      const other = Events.event(partition)
      const { exit } = yield* tripsOf(
        Effect.gen(function* () {
          yield* append(event)
          const error = yield* Effect.flip(within(append(other), append(event), offer))
          assert.deepInclude(error, { _tag: "StorageError", operation: "EventStore.append" })
          return yield* Effect.all([find(other.id), Effect.flatMap(Queue, (queue) => queue.nextDueAt("topic"))])
        })
      )
      assert.isTrue(exit._tag === "Success" && Option.isNone(exit.value[0]) && exit.value[1] === null)
    })
  )

  it.effect("fails whoever asks next, also when that is caught, and nothing more is sent (P182)", () =>
    Effect.gen(function* () {
      const { exit, sent } = yield* tripsOf(
        Effect.gen(function* () {
          yield* append(event)
          const look = Effect.flatMap(Queue, (queue) => queue.nextDueAt("topic"))
          const caught = Effect.tap(Effect.flip(look), (error) =>
            Effect.sync(() => assert.deepInclude(error, { operation: "EventStore.append" }))
          )
          const error = yield* Effect.flip(within(append(event), caught, caught))
          assert.deepInclude(error, { _tag: "StorageError", operation: "EventStore.append" })
        })
      )
      assert.strictEqual(exit._tag, "Success")
      assert.deepStrictEqual(sent, [["BEGIN"], ["INSERT INTO events", "SELECT work"], ["ROLLBACK"]])
    })
  )

  it.effect("is a defect under its own name where it cannot be encoded, and nothing follows it (P182, P801)", () =>
    Effect.gen(function* () {
      const { other, sql } = yield* clients
      yield* other`CREATE TABLE notes (text text)`.unprepared
      const write = (value: unknown) => hold(sql, "Notes.write")(sql.unsafe("INSERT INTO notes VALUES ($1)", [value]))
      const all = Effect.all([write("before"), write(Symbol("no form")), write("after")])
      const exit = yield* Effect.exit(sql.withTransaction(all).pipe(failAs("Storage.transaction")))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), "Notes.write")
      assert.lengthOf(yield* other`SELECT text FROM notes`, 0)
      assert.lengthOf(yield* sql.withTransaction(sql`SELECT 1`), 1)
    })
  )
})

const clients = Effect.gen(function* () {
  const schema = yield* freshSchema
  const other = yield* client(schema)
  yield* other`CREATE SCHEMA ${other(schema)}`.unprepared
  return { sql: yield* BoundedClient.make(clientConfig({ url }, schema), () => performance.now()), other }
}).pipe(Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make))

const decodeProcess = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pid: Schema.Int })]))

/** Counts full iterations, as for a copy. */
class CountedMap extends Map<string, unknown> {
  count = 0
  override [Symbol.iterator]() {
    this.count++
    return super[Symbol.iterator]()
  }
}

describe("a transaction among many services", () => {
  it.effect("copies none of them, and neither does what follows its commit (P443)", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      const services = new CountedMap(Array.from({ length: 200 }, (_, index) => [`service ${index}`, index]))
      const followed: Array<string> = []
      const follow = (name: string) => sql.afterCommit(Effect.sync(() => void followed.push(name)))
      const inner = sql.withTransaction(Effect.andThen(sql`SELECT 1`, follow("inner")))
      const outer = sql.withTransaction(Effect.all([follow("first"), inner, follow("last")]))
      services.count = 0
      yield* Effect.updateContext(outer, (_: Context.Context<never>) => Context.makeUnsafe<never>(services))
      assert.deepStrictEqual(followed, ["first", "inner", "last"])
      assert.strictEqual(services.count, 0)
    })
  )
})

describe("a packet that takes too long", () => {
  it.live("fails its transaction, whose locks are soon free, and the client goes on (P131)", () =>
    Effect.gen(function* () {
      const { other, sql } = yield* clients
      let pid = 0
      const slow = Effect.gen(function* () {
        const rows = yield* sql`SELECT pg_backend_pid() AS pid, pg_advisory_xact_lock(8181)`
        pid = (yield* decodeProcess(rows))[0].pid
        yield* hold(sql, "Notes.write")(sql`SELECT 1`)
        yield* Effect.provideService(sql`SELECT pg_sleep(600)`, Patience, 20)
      })
      const error = yield* Effect.flip(sql.withTransaction(slow).pipe(failAs("test")))
      assert.instanceOf(error, StorageError)
      const found = other`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`
      // Before the statement's own time is over.
      yield* Effect.timeout(Effect.repeat(found, { until: (rows) => rows.length === 0 }), "50 seconds")
      assert.lengthOf(yield* sql.withTransaction(sql`SELECT pg_advisory_xact_lock(8181)`), 1)
    })
  )
})
