/** The remaining work of runs in the database. */
import { topic } from "@limbeck/distill/run/Run"
import { client } from "@limbeck/testing/database/Database"
import * as Effect from "effect/Effect"

interface Work {
  readonly subject: string
  /** The run's. */
  readonly status: string
  /** Whether one of its stages is. */
  readonly isAtWork: boolean
  /** By a worker, until its lease ends. */
  readonly isHeld: boolean
  /** Time until the item can be claimed; at most 0 if claimable now. */
  readonly waitMillis: number
}

export const workOfRuns = (database: string): Promise<ReadonlyArray<Work>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client("limbeck", database)
        return yield* sql<Work>`
          SELECT
            subject,
            doc->>'status' AS status,
            jsonb_path_exists(doc::jsonb, '$.stages[*] ? (@.status == "running")') AS "isAtWork",
            lease IS NOT NULL AS "isHeld",
            ready_at - floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "waitMillis"
          FROM work JOIN resources ON resources.id = subject AND resources.partition = work.partition
          WHERE topic = ${topic}`
      })
    )
  )
