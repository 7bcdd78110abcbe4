import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { firstPage } from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { noResult } from "@limbeck/webhooks/delivery/Delivery"
import { DeliveryStore, historyGraceMillis } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Core from "../src/migrations/internal/0001_core.ts"
import * as Webhooks from "../src/migrations/internal/0002_webhooks.ts"
import * as Distill from "../src/migrations/internal/0003_distill.ts"
import * as WebhookLanes from "../src/migrations/internal/0004_webhook_lanes.ts"
import { schemaText } from "../src/migrations/internal/Migrations.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { client, freshSchema, url } from "./Database.ts"

const Applied = Schema.Array(Schema.Struct({ name: Schema.String, created_at: Schema.Date }))

const applied = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* client(schema)
  return yield* Schema.decodeUnknownEffect(Applied)(
    yield* sql`SELECT name, created_at FROM migrations ORDER BY migration_id`
  )
})

/** Numbered as in the headings of schema.sql: from 0001, without gaps. */
const names = [...schemaText().matchAll(/^-- (\d{4})_(\w+)$/gm)].map(([, number, name], index) => {
  assert.strictEqual(Number(number), index + 1)
  return name
})

it("schema.sql is what the migrations make", () => {
  assert.strictEqual(readFileSync(new URL("../schema.sql", import.meta.url), "utf8"), schemaText())
})

/**
 * Changes that servers of the previous version tolerate: new tables, indexes and functions, columns with defaults, and row
 * updates.
 */
const additions = [
  /^CREATE (UNLOGGED )?TABLE /,
  /^CREATE INDEX /,
  /^CREATE FUNCTION /,
  /^ALTER TABLE \w+ (ADD COLUMN (?![^,]*\bNOT NULL\b(?![^,]*\bDEFAULT\b))[^,]+(,\s*)?)+$/,
  /^(INSERT INTO|UPDATE) /
]

const isAddition = (statement: string): boolean =>
  additions.some((form) => form.test(statement.replace(/^(--.*\n)+/, "")))

/** The newest schema of the first release: nobody upgrades from one before it. */
const firstRelease = 18

it("each migration since the first release leaves what servers of the version before read and write (P348)", () => {
  const [, ...migrations] = schemaText().split(/^-- (?=\d{4}_)/m)
  assert.lengthOf(migrations, names.length)
  for (const migration of migrations.slice(firstRelease)) {
    const [, ...statements] = migration
      .trimEnd()
      .replace(/;$/, "")
      .split(/\n\n(?=.)|;\n\n/s)
    for (const statement of statements) assert.isTrue(isAddition(statement.replace(/;$/, "")), statement)
  }
})

it.each([
  ["ALTER TABLE calls ADD COLUMN truncated boolean NOT NULL DEFAULT false", true],
  ["-- Why.\nALTER TABLE calls ADD COLUMN answer bigint,\n  ADD COLUMN verifies boolean NOT NULL DEFAULT false", true],
  ["ALTER TABLE calls ADD COLUMN truncated boolean NOT NULL", false],
  ["ALTER TABLE calls ADD COLUMN a boolean NOT NULL, ADD COLUMN b boolean NOT NULL DEFAULT false", false],
  ["ALTER TABLE calls ADD COLUMN a boolean, DROP COLUMN b", false],
  ["ALTER TABLE calls RENAME TO calls_before", false],
  ["DROP TABLE run_metrics, run_logs", false],
  ["CREATE UNIQUE INDEX calls_once ON calls (id)", false]
])("%s leaves what is there: %s", (statement, leaves) => assert.strictEqual(isAddition(statement), leaves))

it.live("a schema that is new is left as it is by a second start", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    yield* Layer.build(StoragePostgres.layer({ url, schema }))
    const first = yield* applied(schema)
    yield* Layer.build(StoragePostgres.layer({ url, schema }))
    assert.deepStrictEqual(
      first.map(({ name }) => name),
      names
    )
    assert.deepStrictEqual(yield* applied(schema), first)
  })
)

it.live("servers that start at once on an empty database all come up, and migrate it once (P28)", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    const start = Layer.build(StoragePostgres.layer({ url, schema, maxConnections: 2 }))
    const started = yield* Effect.all(
      Array.from({ length: 6 }, () => start),
      { concurrency: "unbounded" }
    )
    yield* Effect.forEach(started, (ports) => Context.get(ports, Storage).health)
    assert.strictEqual((yield* applied(schema)).length, names.length)
  })
)

/** A schema at an older version, with a client. */
const olderSchema = Effect.gen(function* () {
  const schema = yield* freshSchema
  const sql = yield* client(schema)
  yield* sql`CREATE SCHEMA ${sql(schema)}`.unprepared
  yield* sql`CREATE TABLE migrations (migration_id integer PRIMARY KEY, created_at timestamptz DEFAULT now(), name text)`
  for (const [index, { statements }] of [Core, Webhooks, Distill, WebhookLanes].entries()) {
    for (const statement of statements) yield* sql.unsafe(statement).unprepared
    yield* sql`INSERT INTO migrations (migration_id, name) VALUES (${index + 1}, ${`before_${index}`})`
  }
  return { schema, sql }
})

it.live("what named a content before is found by it after, as what is written now (P87)", () =>
  Effect.gen(function* () {
    const { schema, sql } = yield* olderSchema
    const partition = Fresh.partition()
    const student: StudentModel.StudentModel = {
      origin: "run",
      id: Fresh.id("stu"),
      name: null,
      base: "builtin/text-classifier",
      run: Fresh.id("run"),
      report: Fresh.id("rpt"),
      datasetVersion: Fresh.id("dsv"),
      executor: "builtin",
      endpoint: null,
      artifact: { sha256: "ab".repeat(32), bytes: 1, format: "file" },
      accuracy: null,
      holdout: null,
      agreementAt: [],
      createdAt: Fresh.start
    }
    yield* sql`INSERT INTO resources (kind, partition, id, revision, created_at, labels, doc)
      VALUES ('student_model', ${partition.key}, ${student.id}, 0, ${Fresh.start}, ARRAY['run:x'], ${sql.json(student)})`
    yield* sql`INSERT INTO blobs VALUES (${partition.key}, ${"ab".repeat(32)}, 0, 1)`
    const now = yield* Clock.currentTimeMillis
    const ports = yield* Layer.build(StoragePostgres.layer({ url, schema }))
    const [label = ""] = StudentModel.kind.labels(student).filter((one) => one.includes("ab".repeat(32)))
    const found = Context.get(ports, ResourceStore).findByLabels(partition, StudentModel.kind, [label])
    assert.deepStrictEqual(yield* found, [student])
    // The migration's time is the put time of existing contents.
    assert.deepStrictEqual(yield* Stream.runCollect(Context.get(ports, Blobs).quiet(now - 60_000)), [])
    assert.lengthOf(yield* Stream.runCollect(Context.get(ports, Blobs).quiet(now + 60_000)), 1)
  })
)

it.live("deliveries and attempts of before history had ranges stay, are counted, and go with their range (P363)", () =>
  Effect.gen(function* () {
    const { schema, sql } = yield* olderSchema
    const [partition, endpointId] = [Fresh.partition(), Deliveries.endpointId()]
    const ids = Array.from({ length: 100 }, () => Fresh.id("del"))
    for (const id of ids) {
      yield* sql`INSERT INTO deliveries VALUES (${id}, ${partition.key}, ${endpointId}, ${Fresh.id("evt")}, 'order.paid',
        'succeeded', 1, 1, 1, 'automatic', ${sql.json(noResult)}, NULL, ${Fresh.start}, ${Fresh.start})`
      yield* sql`INSERT INTO attempts VALUES (${Fresh.id("att")}, ${partition.key}, ${id}, ${endpointId}, 1, 'automatic',
        true, ${sql.json(noResult)}, ${Fresh.start})`
    }
    yield* sql`INSERT INTO deliveries VALUES (${Fresh.id("del")}, ${partition.key}, ${endpointId}, ${Fresh.id("evt")},
      'order.paid', 'dead_lettered', 0, 1, 0, 'automatic', ${sql.json(noResult)}, NULL, ${Fresh.start}, ${Fresh.start})`

    const store = Context.get(yield* Layer.build(StoragePostgres.layer({ url, schema })), DeliveryStore)
    const request = firstPage(1_000)
    const page = store.page(partition, { endpointId, status: "succeeded", eventType: null }, request)
    const stats = store.stats(partition, [endpointId], Fresh.start)
    const counted = { attempts: 100, succeeded: 100, pending: 0, deadLettered: 1 }
    assert.deepStrictEqual((yield* stats).get(endpointId), counted)
    const kept = { now: Fresh.start + historyGraceMillis, since: Fresh.start }
    assert.isTrue(yield* store.keepHistory(kept))
    assert.deepStrictEqual(
      (yield* page).items.map(({ id }) => id),
      ids.toReversed()
    )
    assert.strictEqual((yield* store.attempts(partition, ids[0]!)).length, 1)
    assert.isTrue(yield* store.keepHistory({ ...kept, since: Fresh.start + 1 }))
    assert.deepStrictEqual((yield* page).items, [])
    assert.strictEqual((yield* store.attempts(partition, ids[0]!)).length, 0)
    assert.deepStrictEqual(yield* stats, new Map())
  })
)

it.live("a database that is not there is a StorageError", () =>
  Effect.gen(function* () {
    const layer = StoragePostgres.layer({ host: "/nowhere", user: "postgres", database: "postgres" })
    const error = yield* Effect.flip(Layer.build(layer))
    assert.strictEqual(error._tag, "StorageError")
  })
)
