/** A connection lent for one statement: an interrupted statement is canceled before the next user gets the connection. */
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import type { Connection } from "effect/sql/SqlConnection"

export const make = (wire: PgConnection): Connection => {
  const rows = (sql: string, values: ReadonlyArray<unknown>, prepare?: boolean) =>
    Effect.map(wire.query(sql, values, prepare), (result) => result.rows)
  return {
    execute: (sql, values) => rows(sql, values),
    executeUnprepared: (sql, values) => rows(sql, values, false),
    executeRaw: (sql, values) => wire.query(sql, values),
    executeValues: (sql, values) => wire.queryValues(sql, values),
    executeValuesUnprepared: (sql, values) => wire.queryValues(sql, values, false),
    executeStream: (sql, values) => wire.stream(sql, values)
  }
}
