/** Storage on Postgres: one database transaction per unit of work, READ COMMITTED. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as HealthPostgres from "./HealthPostgres.ts"
import * as HostTransaction from "./HostTransaction.ts"
import { failAs } from "./PostgresError.ts"

export const make = (sql: HealthPostgres.RefusingClient, schema: string): Storage["Service"] => {
  const begin = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    sql.withTransaction(self).pipe(failAs("Storage.transaction"))

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
    health: HealthPostgres.make(sql)
  })
}
