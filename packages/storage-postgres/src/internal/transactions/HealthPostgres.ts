/**
 * Whether Postgres answers, and takes writes. It is asked for room on its disk as well: one on which nobody writes says nothing
 * of a full disk, and after a refusal nobody waits until it is forgotten.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { StorageState } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import type { BoundedClient } from "../connection/BoundedClient.ts"
import { failAs } from "../connection/PostgresError.ts"

/** How often room is asked for, in milliseconds: while all is well, and after a refusal. */
const pauseMillis = { well: 30_000, refused: 1_000 }

/** As little as Postgres lets a sort have. */
const sortMemory = "64kB"

/** Four times that: the sort goes to a file that is new, so that it needs room. Nothing is left of it, and nothing is logged. */
export const sortOnDisk = `
  SELECT count(*) FROM (
    SELECT repeat(n::text || 'x', 256) AS text FROM generate_series(1, 256) AS n ORDER BY n % 2, text OFFSET 1
  ) AS sorted`

/** A replica in recovery, or a primary that was set so: it answers, and takes no writes. */
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

  /** What fails for want of room is heard by `refusals`; a limit of temporary files says nothing of the disk. */
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
