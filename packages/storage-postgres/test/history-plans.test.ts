import type * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { DeliveryStatus } from "@limbeck/webhooks/delivery/Delivery"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { analyze, client, freshSchema, url } from "./Database.ts"
import * as History from "./History.ts"
import { worksOf } from "./Plans.ts"

const { begin, busy, dead, now, waiting } = History
const day = 24 * 3_600_000

/** Bounds for statements about a set, and for statements about one page or one row. */
const batch = 100
const ofSet = { rows: 3 * batch, pages: 30 * batch }
const ofOne = { rows: 500, pages: 2_000 }
/** Two days of tallies for two endpoints, and five minutes of attempts. */
const ofStats = { rows: 1_500, pages: 2_000 }
/** Statements that count or search a tenth of all rows: those rows, and a look-up of each in two indexes. */
const tenth = History.rowsCount / 10 + 4 * batch
const ofTenth = { rows: tenth + 3_000, pages: 5 * tenth }
/** Statements on one range of history that the planner expects to be empty: all rows of one endpoint in that range. */
const ofRange = { rows: History.rowsCount / 10, pages: 10_000 }
type Bounds = typeof ofOne

/** A statement whose plan is always made for its values. */
const isUnprepared = (text: string): boolean => /AS attempts,[^;]*FROM attempts/.test(text)

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

const largeTables = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const rows = yield* sql`
    SELECT relname::text AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 10 * 8192`
  return new Set((yield* decodeNames(rows)).map(({ name }) => name))
})

/** Asserts the plans of a call: no table that holds anything is read whole, and no step does more than it may. */
const openExplain = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const large = yield* largeTables(sql)
  const explained = new Set<string>()
  const explain = <A, E, R>(call: Effect.Effect<A, E, R>, bounds: Bounds = ofOne) =>
    Effect.gen(function* () {
      for (const work of yield* worksOf(sql)(call)) {
        if (isUnprepared(work.text) && work.mode === "force_generic_plan") continue
        const told = `${work.mode} ${work.text}\n${JSON.stringify(work.plan, null, 1)}`
        // What still waits may be looked through; history may not.
        const scanned = work.scanned.filter(
          (name) => large.has(name) && (bounds === ofOne || name !== "deliveries_due")
        )
        assert.deepStrictEqual(scanned, [], told)
        assert.isAtMost(work.rows, bounds.rows, told)
        assert.isAtMost(work.pages, bounds.pages, told)
        explained.add(work.text)
      }
    })
  return { explain, explained }
})

/** `ofWindow` bounds a page of a day, or of a moment. */
const assertPlans = Effect.fnUntraced(function* (sql: PgClient.PgClient, partition: Partition, ofWindow: Bounds) {
  const { explain, explained } = yield* openExplain(sql)
  const store = yield* DeliveryStore
  const at = { now, limit: batch, leaseUntil: now + 1 }

  const made = Events.events(partition, batch, now + day)
  const fresh = made.map((event) => Deliveries.delivery(event, busy))
  yield* Effect.flatMap(EventStore, (events) => events.append(partition, made))
  yield* explain(store.insert(partition, fresh), ofSet)
  yield* explain(store.claimDue({ ...at, lane: "first" }), ofSet)
  yield* explain(store.claimDue({ ...at, lane: "retry" }), ofSet)
  // One endpoint has nearly all due deliveries, so that the claim asks every endpoint after the head.
  yield* explain(store.claimDue({ ...at, lane: "first", perEndpointMax: 8 }), ofSet)
  const claimed = yield* store.claimDue({ ...at, lane: "first" })
  assert.strictEqual(claimed.length, batch)
  const settled = claimed.map((one, index) =>
    index % 2 === 0 ? Deliveries.successOf(one) : Deliveries.failureOf(one, now)
  )
  yield* explain(store.settle(settled), ofSet)
  yield* explain(store.nextDueAt)

  for (const endpointId of [busy, dead]) {
    for (const status of [null, ...DeliveryStatus.literals]) {
      for (const eventType of [null, "order.paid", "order.unknown"]) {
        yield* explain(store.page(partition, { endpointId, status, eventType }, firstPage(20)))
      }
    }
  }
  for (const status of [null, "succeeded", "dead_lettered"] as const) {
    yield* explain(store.page(partition, { endpointId: waiting, status, eventType: null }, firstPage(20)))
  }
  yield* explain(
    store.page(partition, { endpointId: waiting, status: "pending", eventType: null }, firstPage(20)),
    ofTenth
  )
  yield* explain(store.page(partition, { endpointId: waiting, status: null, eventType: "no" }, firstPage(20)), ofTenth)
  const all = { endpointId: busy, status: null, eventType: null }
  yield* explain(store.page(partition, all, { ...firstPage(20), createdBefore: begin + day }), ofWindow)
  yield* explain(store.page(partition, all, { ...firstPage(20), createdAfter: now - 1_000 }), ofWindow)

  const letters = { endpointId: dead, since: 0, until: now }
  const found = yield* store.deadLetters(partition, letters, { after: null, limit: 20 })
  yield* explain(store.find(partition, dead, found[0]!.id))
  yield* explain(store.attempts(partition, found[0]!.id))
  // Counts waiting deliveries even for a large backlog, but never final ones.
  yield* explain(store.stats(partition, [dead, busy], now - day + 1), ofStats)
  yield* explain(store.stats(partition, [busy], now - day + 1), ofStats)
  yield* explain(store.stats(partition, [waiting], now - day), ofTenth)
  yield* explain(store.countDeadLetters(partition, letters), ofTenth)
  yield* explain(store.deadLetters(partition, letters, { after: found[9]!.id, limit: 500 }))
  const revived = found.map((delivery) => Deliveries.redeliveryOf(delivery, now))
  yield* explain(store.redeliver(partition, revived), ofSet)
  yield* explain(store.hasFailedSince(partition, dead, now - day))
  yield* explain(store.hasFailedSince(partition, busy, now - day))
  return explained.size
})

it.live(
  "at many rows of history, every statement about deliveries uses its index and touches no more than it needs (P47)",
  () =>
    Effect.gen(function* () {
      const schema = yield* freshSchema
      const sql = yield* client(schema)
      yield* Effect.gen(function* () {
        const partition = Fresh.partition()
        // The tables were analyzed while empty. Later, autovacuum vacuums the filled tables and then analyzes them.
        yield* History.ranges
        yield* analyze(sql)
        yield* History.fill(sql, partition)
        const count = yield* assertPlans(sql, partition, ofRange)
        const filled = [...(yield* largeTables(sql))].join(", ")
        for (const [step, ofWindow] of [
          ["VACUUM", ofRange],
          ["ANALYZE", ofOne]
        ] as const) {
          yield* sql.unsafe(`${step} ${filled}`).unprepared
          assert.strictEqual(yield* assertPlans(sql, partition, ofWindow), count)
        }
      }).pipe(Effect.provide(StoragePostgres.layer({ url, schema })))
    }),
  180_000
)
