/**
 * Keeps the table of due deliveries small. Every delivery passes through the table, and the search for the oldest would
 * walk over all rows removed since the last vacuum; autovacuum's one-minute cycle is too slow at thousands of deliveries a
 * second.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** So many have left since the last time: a few hundred index pages, and some ten milliseconds of work. */
const rowsBetween = 20_000

/** Another session's vacuum serves as well as ours, and the table keeps its size: the space will be needed again. */
const statement = "VACUUM (SKIP_LOCKED, TRUNCATE false) deliveries_due"

/** Answers what to say when rows have left. Never waits, and is only a help: a failure changes nothing. */
export const make = (sql: PgClient.PgClient) => {
  let left = 0
  let isRunning = false

  const vacuum = sql.unsafe(statement).pipe(
    Effect.ignore,
    Effect.ensuring(
      Effect.sync(() => {
        isRunning = false
      })
    )
  )

  return (rows: number): Effect.Effect<void> =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) => {
      left += rows
      // Vacuum takes no part in transactions.
      if (left < rowsBetween || isRunning || Option.isSome(transaction)) return Effect.void
      left = 0
      isRunning = true
      return Effect.asVoid(Effect.forkDetach(vacuum))
    })
}
