/**
 * Keeps the table of what is due small. Every delivery passes through it, and the search for the oldest would walk over all
 * that have left since the last vacuum; autovacuum looks once a minute, which is too seldom at thousands a second.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** So many have left since the last time: a few hundred index pages, and some ten milliseconds of work. */
const rowsBetween = 20_000

/** Somebody else's vacuum is as good as ours, and the table stays as large as it was: it will be needed again. */
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
