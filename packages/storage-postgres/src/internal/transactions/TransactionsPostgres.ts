/** Transactions on Postgres: one database transaction per unit of work, READ COMMITTED. */
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import { failAs } from "../connection/PostgresError.ts"
import * as HealthPostgres from "./HealthPostgres.ts"
import * as HostTransaction from "./HostTransaction.ts"

export const make = (sql: HealthPostgres.RefusingClient, schema: string): Storage["Service"] => {
  const seesCommit = Effect.map(HostTransaction.surrounding(sql), (connection) => connection === undefined)

  return Storage.of({
    transaction: (self) => failAs("Storage.transaction")(sql.withTransaction(self)),
    afterCommit: (effect) =>
      Effect.flatMap(seesCommit, (sees) =>
        sees ? sql.afterCommit(effect) : Effect.die(new Error("The commit of a host's transaction is not seen here"))
      ),
    inHostTransaction: HostTransaction.make(sql, schema),
    seesCommit,
    health: HealthPostgres.make(sql)
  })
}
