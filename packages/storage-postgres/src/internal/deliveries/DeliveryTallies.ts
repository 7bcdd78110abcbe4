/**
 * Counts per endpoint, updated by each write, so that statistics need no scan of the history:
 *
 *     starts_at    attempts  succeeded  dead_lettered
 *     12:00              41         40              0     attempts that began in these five minutes
 *     12:05              12         12              0
 *     `standing`          0          0              7     dead letters as they are
 *
 * The rows of an endpoint since a time are one range of the primary key. A statement that writes attempts, or changes dead
 * letters, also adds to these rows, in key order, so that concurrent writers cannot deadlock.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { statsReachMillis } from "@limbeck/webhooks/delivery/DeliveryStore"
import type { Statement } from "effect/sql/Statement"
import * as T from "../connection/PostgresTypes.ts"

/** Attempts within this width share a row. A window that begins inside a row counts its part of the row one by one. */
const widthMillis = 5 * 60_000

/** In the place of a time: after all times. */
const standing = T.lastInt

export interface Window {
  /** The start of the first row that may lie partly in the window. */
  readonly edge: Millis
  /** The start of the first row that lies wholly in the window. */
  readonly from: Millis
}

/** The rows of a window that starts at `since`. */
export const windowOf = (since: Millis): Window => {
  const edge = since - (since % widthMillis)
  return { edge, from: edge === since ? edge : edge + widthMillis }
}

/** Attempts of a table or a query with the same columns. */
export const attemptsOf = (source: string): string => `
  SELECT partition, endpoint_id, started_at - started_at % ${widthMillis}, count(*),
    count(*) FILTER (WHERE succeeded), 0::bigint
  FROM ${source} GROUP BY 1, 2, 3`

/** Dead letters of such a source: what is `new`, or what is `gone`. */
export const deadOf = (source: string, change: "new" | "gone"): string => `
  SELECT partition, endpoint_id, ${standing}::bigint, 0::bigint, 0::bigint, ${change === "new" ? "" : "-"}count(*)
  FROM ${source} GROUP BY 1, 2`

/** Adds such counts to what is there. */
export const add = (...counts: ReadonlyArray<string>): string => `
  INSERT INTO delivery_tallies AS tally (partition, endpoint_id, starts_at, attempts, succeeded, dead_lettered)
  SELECT * FROM (${counts.join(" UNION ALL ")}) counted ORDER BY 1, 2, 3
  ON CONFLICT (partition, endpoint_id, starts_at) DO UPDATE SET attempts = tally.attempts + excluded.attempts,
    succeeded = tally.succeeded + excluded.succeeded, dead_lettered = tally.dead_lettered + excluded.dead_lettered`

/** What nobody asks for any more: attempts that began long before `now`, and counts of no dead letters. */
export const removeOld = (sql: PgClient.PgClient, now: Millis): ReadonlyArray<Statement<unknown>> => [
  sql`DELETE FROM delivery_tallies WHERE starts_at < ${T.int(now - statsReachMillis - widthMillis)}`,
  // Who counts at this moment keeps the row.
  sql`DELETE FROM delivery_tallies WHERE dead_lettered = 0 AND starts_at = ${T.int(standing)}
    AND (partition, endpoint_id) IN (SELECT partition, endpoint_id FROM delivery_tallies
      WHERE dead_lettered = 0 AND starts_at = ${T.int(standing)} FOR UPDATE SKIP LOCKED)`
]
