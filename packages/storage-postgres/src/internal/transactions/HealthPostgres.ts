/**
 * Whether Postgres responds and accepts writes. The check also asks for disk space: an idle server does not show a full
 * disk, and callers need not wait for a refusal to expire.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { StorageState } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import type { BoundedClient } from "../connection/BoundedClient.ts"
import { failAs } from "../connection/PostgresError.ts"

/** How often room is asked for, in milliseconds: while all is well, and after a refusal. */
const pauseMillis = { well: 30_000, refused: 1_000 }

/** The least memory that Postgres allows for a sort. */
const sortMemory = "64kB"

/** Four times that memory: the sort needs a new file, and so disk space. Leaves no file and no log entry. */
export const sortOnDisk = `
  SELECT count(*) FROM (
    SELECT repeat(n::text || 'x', 256) AS text FROM generate_series(1, 256) AS n ORDER BY n % 2, text OFFSET 1
  ) AS sorted`

/** A replica in recovery, or a primary in read-only mode: responds, but refuses writes. */
/** What it takes of a client: statements, and what the server refused. */
export type RefusingClient = PgClient.PgClient & Pick<BoundedClient, "refusals">

const isReadOnly = (sql: RefusingClient) =>
  Effect.map(
    sql<{ readOnly: boolean }>`
      SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "readOnly"`,
    ([row]) => row?.readOnly === true
  )

export const make = (sql: RefusingClient): Effect.Effect<StorageState, StorageError> => {
  const { refusals } = sql
  let askedAt = Number.NEGATIVE_INFINITY

  /** `refusals` hears a failure for lack of space; a limit on temporary files says nothing about the disk. */
  const askForRoom = Effect.suspend(() => {
    const since = refusals.now()
    askedAt = since
    return sql
      .withTransaction(
        Effect.andThen(sql`SELECT set_config('work_mem', ${sortMemory}, true)`, sql.unsafe(sortOnDisk).unprepared)
      )
      .pipe(Effect.andThen(Effect.sync(() => refusals.areOver(since))), Effect.ignore)
  })

  const isDue = () => refusals.now() - askedAt >= (refusals.areRecent ? pauseMillis.refused : pauseMillis.well)

  return Effect.gen(function* () {
    if (yield* isReadOnly(sql)) return "read_only"
    if (isDue()) yield* askForRoom
    return refusals.areRecent ? "read_only" : "ok"
  }).pipe(failAs("Storage.health"))
}
