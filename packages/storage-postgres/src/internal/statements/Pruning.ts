/** Rows that go by their age: those of every partition, the oldest of each first, so many at once. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as T from "../connection/PostgresTypes.ts"

/** An id is made when something begins, and its time is when it was there: minutes later where a client was slow. */
export const slackMillis = 300_000

/**
 * The places of up to `limit` rows made before `createdBefore`, as a query. One step in the index finds each partition, and
 * where it begins. `firstId`: what no id of rows made since is less than.
 */
export const oldRows = (
  sql: PgClient.PgClient,
  table: "calls" | "call_feedback" | "events",
  {
    createdBefore,
    firstId,
    limit
  }: { readonly createdBefore: Millis; readonly firstId: string; readonly limit: number }
) => {
  const name = sql.literal(table)
  return sql`
    WITH RECURSIVE partitions (whose) AS (
      (SELECT partition FROM ${name} ORDER BY partition LIMIT 1)
      UNION ALL
      SELECT (SELECT partition FROM ${name} WHERE partition > whose ORDER BY partition LIMIT 1)
      FROM partitions WHERE whose IS NOT NULL
    )
    SELECT r.place FROM partitions CROSS JOIN LATERAL (
      SELECT ctid AS place FROM ${name}
      WHERE partition = whose AND id < ${T.text(firstId)} AND created_at < ${T.int(createdBefore)}
      ORDER BY id LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED) r
    LIMIT ${T.int(limit)}`
}
