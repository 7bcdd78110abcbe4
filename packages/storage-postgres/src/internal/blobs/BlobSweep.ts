/** Removes the pieces of unfinished puts, whose process died: no reader can reach them. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Limits } from "@limbeck/core/Limits"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as T from "../connection/PostgresTypes.ts"

/** Uploads that one statement removes: each may have thousands of pieces. */
const batch = 10

/** Removes the pieces of all unfinished puts, and returns the number of uploads. */
export const sweep = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    const before = T.int((yield* Clock.currentTimeMillis) - Limits.partQuietMillis)
    let removed = 0
    for (;;) {
      const uploads = yield* sql`
        WITH gone AS (
          SELECT upload FROM blob_pieces first
          WHERE seq = 0 AND written_at < ${before}
            AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.upload = first.upload)
            AND NOT EXISTS (SELECT 1 FROM blob_pieces p WHERE p.upload = first.upload AND p.written_at >= ${before})
          LIMIT ${T.int(batch)}
        ), removed AS (
          DELETE FROM blob_pieces WHERE upload IN (SELECT upload FROM gone)
        )
        SELECT upload FROM gone`
      removed += uploads.length
      if (uploads.length < batch) return removed
    }
  })

/** Once at the start, and then every day. */
export const forever = (sql: PgClient.PgClient) =>
  sweep(sql).pipe(
    Effect.catchCause((cause) => Effect.logWarning("blob_pieces_not_swept", cause)),
    Effect.repeat(Schedule.spaced("1 day"))
  )
