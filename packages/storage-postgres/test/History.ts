/** Deliveries of five weeks, of few endpoints that have many and many that have few, and an attempt for half of them. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Id from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import { caseCount } from "@limbeck/testing/Campaign"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as PostgresTypes from "../src/internal/connection/PostgresTypes.ts"

const day = 24 * 3_600_000
const week = 7 * day
const weeks = 5

export const rowsCount = caseCount(200_000, 1_000_000)
export const now = Fresh.start
export const begin = now - weeks * week

/** Half of all succeeded, a tenth is dead, a tenth waits for its first attempt; the rest is of 2,000 endpoints. */
export const busy = Fresh.id("wh")
export const dead = Fresh.id("wh")
export const waiting = Fresh.id("wh")
const othersCount = 2_000

/** The stems of ids at a thousand times; numbers follow on them. */
const stems = Array.from({ length: 1_000 }, (_, index) => {
  const [, body = ""] = Id.floorAt("del", begin + (index * (now - begin)) / 1_000).split("_")
  return body.slice(0, 10)
})

const made = `
  CREATE TEMPORARY TABLE made AS
  SELECT n, stem || lpad(n::text, 16, '0') AS body,
    ${begin} + n * ${(weeks * week) / 1_000} / ${rowsCount / 1_000} AS at,
    CASE n % 10 WHEN 0 THEN $2 WHEN 1 THEN $3 ELSE CASE WHEN n % 10 < 7 THEN $4
      ELSE 'wh_' || lpad((n % ${othersCount})::text, 26, '0') END END AS endpoint_id,
    CASE n % 10 WHEN 0 THEN 'dead_lettered' WHEN 1 THEN 'pending'
      ELSE CASE WHEN n % 490 = 9 THEN 'failed' ELSE 'succeeded' END END AS status
  FROM unnest($1) WITH ORDINALITY AS stems (stem, place)
  CROSS JOIN LATERAL (
    SELECT (place - 1) * ${rowsCount / 1_000} + m AS n FROM generate_series(0, ${rowsCount / 1_000 - 1}) AS m
  ) numbers`

const result = `'{"statusCode":200,"bodySnippet":"","durationMillis":7,"error":null}'`

const tables = [
  `INSERT INTO events (partition, id, type, created_at, body)
  SELECT $1, 'evt_' || body, 'order.paid', at, '{}' FROM made WHERE status IN ('pending', 'failed')`,

  `INSERT INTO deliveries (partition, id, endpoint_id, event_id, event_type, status, attempt_count, cycle_started_at,
    cycle_attempts, trigger, last_result, due_at, created_at, updated_at)
  SELECT $1, 'del_' || body, endpoint_id, 'evt_' || body, CASE WHEN n % 3 = 0 THEN 'order.paid' ELSE 'run.failed' END,
    status, CASE status WHEN 'pending' THEN 0 ELSE 1 END, at, 1, 'automatic', ${result},
    CASE WHEN status IN ('pending', 'failed') THEN at END, at, at
  FROM made`,

  `INSERT INTO deliveries_due (partition, id, endpoint_id, due_at, ready_at, retry)
  SELECT $1, 'del_' || body, endpoint_id, at, at, status = 'failed' FROM made WHERE status IN ('pending', 'failed')`,

  `INSERT INTO attempts (partition, delivery_id, endpoint_id, id, number, trigger, succeeded, result, started_at)
  SELECT $1, 'del_' || body, endpoint_id, 'att_' || body, 1, 'automatic', status = 'succeeded', ${result}, at
  FROM made WHERE n % 2 = 0`,

  `INSERT INTO delivery_tallies (partition, endpoint_id, starts_at, attempts, succeeded, dead_lettered)
  SELECT $1, endpoint_id, at - at % 300000, count(*), count(*) FILTER (WHERE status = 'succeeded'), 0
  FROM made WHERE n % 2 = 0 AND at > ${now - day} GROUP BY 2, 3
  UNION ALL
  SELECT $1, endpoint_id, ${PostgresTypes.lastInt}, 0, 0, count(*) FROM made WHERE status = 'dead_lettered' GROUP BY 2`
]

/** Recreates the indexes after the rows, which is faster. */
const withoutIndexes = <E>(sql: PgClient.PgClient, self: Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    const indexes = yield* Effect.flatMap(
      sql`SELECT indexname AS name, indexdef AS definition FROM pg_indexes
        WHERE schemaname = current_schema() AND indexdef LIKE '% ON ONLY %' AND indexname NOT LIKE '%_pkey'`,
      Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String, definition: Schema.String })))
    )
    yield* Effect.forEach(indexes, ({ name }) => sql.unsafe(`DROP INDEX ${name}`).unprepared)
    yield* self
    yield* Effect.forEach(indexes, ({ definition }) => sql.unsafe(definition.replace(" ON ONLY ", " ON ")).unprepared)
  })

/** The ranges for the weeks of the history. */
export const ranges = Effect.gen(function* () {
  const store = yield* DeliveryStore
  for (let at = begin; at <= now; at += week) yield* store.keepHistory({ now: at, since: 0 })
})

export const fill = Effect.fnUntraced(function* (sql: PgClient.PgClient, partition: Partition) {
  const ids = [dead, waiting, busy].map(PostgresTypes.text)
  yield* sql`SET maintenance_work_mem = '256MB'`.unprepared
  yield* sql.unsafe(made, [PostgresTypes.texts(stems), ...ids])
  const insertAll = Effect.forEach(tables, (statement) => sql.unsafe(statement, [PostgresTypes.text(partition.key)]))
  yield* withoutIndexes(sql, insertAll)
  yield* sql`DROP TABLE made`.unprepared
})
