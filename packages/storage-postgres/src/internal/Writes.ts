/** How stores say what a transaction may put off, or ask for at once. Outside of our own transactions it is said as it stands. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { UnitOfWork } from "./UnitOfWork.ts"

/** The transaction of ours that the running fiber is in. */
export const unitOf = (sql: PgClient.PgClient): Effect.Effect<UnitOfWork | undefined> =>
  Effect.map(
    Effect.serviceOption(sql.transactionService),
    Option.match({
      onNone: () => undefined,
      onSome: ([connection]) => (connection instanceof UnitOfWork ? connection : undefined)
    })
  )

/** A write whose answer nobody needs: a transaction sends it with what follows, and what refuses it then names `operation`. */
export const hold =
  (sql: PgClient.PgClient, operation: string) =>
  (write: Statement<unknown>): Effect.Effect<void, SqlError> =>
    Effect.flatMap(unitOf(sql), (unit) =>
      unit === undefined ? Effect.asVoid(write) : unit.hold(write.compile(), operation)
    )

/** The rows of each of several reads, in their order; a transaction asks for all in one round trip. */
export const together = (
  sql: PgClient.PgClient,
  reads: ReadonlyArray<Statement<unknown>>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> =>
  Effect.flatMap(unitOf(sql), (unit) =>
    unit === undefined ? Effect.all(reads) : unit.together(reads.map((read) => read.compile()))
  )
