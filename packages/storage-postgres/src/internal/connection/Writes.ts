/** How stores hold writes, or batch reads, inside a transaction and outside. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { CurrentTransformer, type Statement } from "effect/sql/Statement"
import type { BoundedClient } from "./BoundedClient.ts"
import { connectionIn } from "./EnclosingConnection.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

const unitIn = (sql: PgClient.PgClient, context: Context.Context<never>): UnitOfWork | undefined => {
  const connection = connectionIn(sql, context)
  return connection instanceof UnitOfWork ? connection : undefined
}

/** Our transaction around the running fiber. */
export const unitOf = (sql: PgClient.PgClient): Effect.Effect<UnitOfWork | undefined> =>
  Effect.contextWith((context: Context.Context<never>) => Effect.succeed(unitIn(sql, context)))

/** A write whose result nobody needs: a transaction sends it with the next statement, and its failure names `operation`. */
export const hold =
  (sql: PgClient.PgClient, operation: string) =>
  (write: Statement<unknown>): Effect.Effect<void, SqlError> =>
    Effect.contextWith((context: Context.Context<never>) => {
      const unit = unitIn(sql, context)
      return unit === undefined ? Effect.asVoid(write) : unit.hold(write.compile(), operation)
    })

/** The rows of each of several reads, in their order; a transaction asks for all in one round trip. */
export const together = (
  sql: PgClient.PgClient,
  reads: ReadonlyArray<Statement<unknown>>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> =>
  Effect.flatMap(unitOf(sql), (unit) =>
    unit === undefined ? Effect.all(reads) : unit.together(reads.map((read) => read.compile()))
  )

/** A traced or transformed statement is sent alone, so that the observer sees it. */
const isWatched = (context: Context.Context<never>): boolean =>
  Context.get(context, CurrentTransformer) !== undefined || Trace.isOn(context)

/** The rows of a short indexed read: outside transactions it shares packets with other fibers' reads. */
export const lookUp =
  (sql: BoundedClient) =>
  (read: Statement<unknown>): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
    Effect.contextWith((context: Context.Context<never>) =>
      isWatched(context) || connectionIn(sql, context) !== undefined ? read : sql.lookUp(read.compile())
    )
