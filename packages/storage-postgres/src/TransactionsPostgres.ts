/** Storage on Postgres: one database transaction per unit of work, READ COMMITTED. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isSqlError } from "effect/sql/SqlError"
import * as HostTransaction from "./HostTransaction.ts"
import { failAs } from "./PostgresError.ts"

/** The client dies of a rollback that a lost connection cannot do any more. The server has rolled back by itself. */
const isLostRollback = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && isSqlError(reason.defect))

export const make = (sql: PgClient.PgClient, schema: string): Storage["Service"] => {
  /** What made us roll back is the whole failure, also when the rollback was lost. */
  const begin = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.suspend(() => {
      let reason: Cause.Cause<E> | undefined
      const observed = Effect.onError(self, (cause) =>
        Effect.sync(() => {
          reason = cause
        })
      )
      return sql.withTransaction(observed).pipe(
        Effect.catchCause((cause) => Effect.failCause(reason !== undefined && isLostRollback(cause) ? reason : cause)),
        failAs("Storage.transaction")
      )
    })

  const seesCommit = Effect.map(HostTransaction.surrounding(sql), (connection) => connection === undefined)

  return Storage.of({
    // One inside another is no savepoint: it costs nothing, and both end as one.
    transaction: <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
      Effect.flatMap(Effect.serviceOption(sql.transactionService), (surrounding) =>
        Option.isNone(surrounding) ? begin(self) : self
      ),
    afterCommit: (effect) =>
      Effect.flatMap(seesCommit, (sees) =>
        sees ? sql.afterCommit(effect) : Effect.die(new Error("The commit of a host's transaction is not seen here"))
      ),
    inHostTransaction: HostTransaction.make(sql, schema),
    seesCommit,
    health: sql`SELECT 1`.pipe(Effect.asVoid, failAs("Storage.health"))
  })
}
