/** Rows removed by age: the oldest of every partition first, in batches. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as T from "../connection/PostgresTypes.ts"

/** An id is created at the beginning of the work and `created_at` at its arrival: minutes later for a slow client. */
export const slackMillis = 300_000

/**
 * A query for up to `limit` rows made before `createdBefore`. One index step finds each partition and its start. `firstId`:
 * a lower bound of the ids made since.
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
