import { assert, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { DeliveryStore, historyGraceMillis } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { twoPools } from "./Database.ts"

const day = 24 * 3_600_000
const week = historyGraceMillis

const Names = Schema.Array(Schema.Struct({ name: Schema.String }))

/** Two servers on one schema, and their history tables. */
const openHistory = Effect.gen(function* () {
  const { one, sql, two } = yield* twoPools
  const tables = sql`
    SELECT relname::text AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname ~ '(deliveries|attempts)_(default|[0-9])'
    ORDER BY relname`.pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Names)),
    Effect.map((rows) => rows.map(({ name }) => name))
  )
  return { servers: [one, two] as const, sql, tables }
})

type Server = Context.Context<DeliveryStore | EventStore | Storage>

/** Claims and settles due deliveries of any origin; returns their number. */
const send = Effect.fnUntraced(function* (server: Server, at: number) {
  const store = Context.get(server, DeliveryStore)
  const claimed = yield* store.claimDue({ lane: "first", now: at + day, limit: 5, leaseUntil: at + 10_000 * day })
  assert.deepStrictEqual(yield* store.settle(claimed.map((one) => Deliveries.successOf(one, at))), [])
  return claimed.length
})

const publish = Effect.fnUntraced(function* (server: Server, at: number) {
  const partition = Fresh.partition()
  const made = Events.events(partition, 5, at)
  const deliveries = made.map((event) => Deliveries.delivery(event, Deliveries.endpointId()))
  const append = Context.get(server, EventStore).append(partition, made)
  const insert = Context.get(server, DeliveryStore).insert(partition, deliveries)
  yield* Context.get(server, Storage).transaction(Effect.andThen(append, insert))
  return deliveries.map((delivery) => ({ partition, delivery }))
})

it.live(
  "while ranges are made and dropped by two servers, nothing fails that is written, and nothing is lost (P47)",
  () =>
    Effect.gen(function* () {
      const { servers, tables } = yield* openHistory
      const begin = Math.ceil(Fresh.start / week) * week + day
      let at = begin
      const seen = new Set<string>()

      const keep = Effect.gen(function* () {
        for (; at < begin + 12 * week; at += 2 * day) {
          const kept = servers.map((server) =>
            Context.get(server, DeliveryStore).keepHistory({ now: at, since: at - 2 * week })
          )
          yield* Effect.all(kept, { concurrency: "unbounded" })
          for (const name of yield* tables) seen.add(name)
        }
      })
      const keeping = yield* Effect.forkChild(keep)
      const writer = Effect.fnUntraced(function* (server: Server) {
        const all: Array<Effect.Success<ReturnType<typeof publish>>> = []
        while (keeping.pollUnsafe() === undefined) {
          all.push(yield* publish(server, at))
          yield* send(server, at)
        }
        return all.flat()
      })
      const written = yield* Effect.forEach([...servers, ...servers], writer, { concurrency: "unbounded" })
      yield* Fiber.join(keeping)
      while ((yield* send(servers[0], at)) > 0);
      assert.isAbove(seen.size, 2 * 10)
      assert.isBelow((yield* tables).length, 2 * 7)

      const store = Context.get(servers[0], DeliveryStore)
      const lastSince = at - 2 * day - 2 * week
      const mine = written.flat().filter(({ delivery }) => delivery.createdAt >= lastSince)
      assert.isAbove(mine.length, 0)
      for (const { delivery, partition } of mine) {
        const found = Option.getOrThrow(yield* store.find(partition, delivery.endpointId, delivery.id))
        assert.strictEqual(found.status, "succeeded")
        assert.strictEqual((yield* store.attempts(partition, delivery.id)).length, 1)
      }
    })
)

it.live("the range of the present is made beside writers who are already there, and refuses none of them", () =>
  Effect.gen(function* () {
    const { servers, tables } = yield* openHistory
    const [keeper] = servers
    for (let trial = 0; trial < 40; trial++) {
      // A time that has no range yet, and no row.
      const at = Fresh.start + trial * 3 * week
      const keep = Context.get(keeper, DeliveryStore).keepHistory({ now: at, since: 0 })
      // Writers begin before, during and after the creation of the range.
      const writers = Array.from({ length: 12 }, (_, index) =>
        Effect.delay(publish(servers[index % 2 === 0 ? 0 : 1], at), trial + index)
      )
      yield* Effect.all([keep, ...writers], { concurrency: "unbounded", discard: true })
    }
    assert.isAbove((yield* tables).length, 2 * 40)
  })
)

it.live("while somebody reads history it is left as it is, and the next round finishes what was begun", () =>
  Effect.gen(function* () {
    const { servers, sql, tables } = yield* openHistory
    const store = Context.get(servers[0], DeliveryStore)
    const old = { now: Fresh.start, since: 0 }
    const later = { now: Fresh.start + 5 * week, since: Fresh.start + 3 * week }
    assert.isTrue(yield* store.keepHistory(old))
    const before = yield* tables

    const reading = Effect.andThen(sql`SELECT count(*) FROM deliveries, attempts`, store.keepHistory(later))
    assert.isFalse(yield* sql.withTransaction(reading))
    assert.includeMembers([...(yield* tables)], [...before])

    // The state after a server dies between detaching and dropping a range.
    const [name] = before.filter((table) => /^attempts_[0-9]/.test(table))
    yield* sql.unsafe(`ALTER TABLE attempts DETACH PARTITION ${name}`).unprepared
    yield* sql.unsafe(`ALTER TABLE ${name} RENAME TO dropped_${name}`).unprepared
    assert.isTrue(yield* store.keepHistory(later))
    const after = yield* tables
    assert.notIncludeMembers([...after], [...before.filter((table) => !table.endsWith("default")), `dropped_${name}`])
    assert.strictEqual(after.length, 2 * 3)
  })
)
