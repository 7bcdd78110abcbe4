/** Turns what the database and its rows can do wrong into `StorageError`, and leaves every other failure as it is. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MigrationError } from "effect/sql/Migrator"
import { isSqlError, SqlError, UnknownError } from "effect/sql/SqlError"

/** The database refused, did not answer, or held a row that its schema does not allow. */
type PostgresFailure = SqlError | Schema.SchemaError | MigrationError

const isPostgresFailure = (error: unknown): error is PostgresFailure =>
  isSqlError(error) ||
  Schema.isSchemaError(error) ||
  (typeof error === "object" && error !== null && "_tag" in error && error._tag === "MigrationError")

/** SQLSTATE classes that speak of the values alone: data exception, integrity violation, program limit exceeded. */
const dataClasses = ["22", "23", "54"]

const stateOf = ({ reason }: SqlError): string | undefined => {
  const { cause } = reason
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined
}

/** Why Postgres will never take these values, whatever its state; undefined: it may take them another time. */
export const refusalOf = (error: unknown): string | undefined => {
  if (!isSqlError(error)) return undefined
  if (error.reason.cause instanceof PgTypes.CodecError) return "a value has no form in Postgres"
  const state = stateOf(error)
  return state !== undefined && dataClasses.includes(state.slice(0, 2)) ? `SQLSTATE ${state}` : undefined
}

/** `unique_violation`. */
export const isDuplicate = (error: unknown): error is SqlError => isSqlError(error) && stateOf(error) === "23505"

/** `read_only_sql_transaction` and `disk_full`: the server answers, and takes no writes. */
const writeRefusals = ["25006", "53100"]

export const isWriteRefusal = (error: unknown): boolean =>
  isSqlError(error) && writeRefusals.includes(stateOf(error) ?? "")

/** A write that was held, and refused when it went out: whoever waited then had said another statement. */
class HeldWriteRefused extends UnknownError {}

/** The failure of a held write, under the name of its own operation. */
export const ofHeldWrite = (operation: string, { message, reason }: SqlError): SqlError =>
  new SqlError({ reason: new HeldWriteRefused({ cause: reason.cause, message, operation }) })

const heldOperation = (error: unknown): string | undefined =>
  isSqlError(error) && error.reason instanceof HeldWriteRefused ? error.reason.operation : undefined

/** Failures of the database inside `self` become a `StorageError` that names the operation, or that of the held write that failed. */
export const failAs =
  (operation: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, PostgresFailure> | StorageError, R> =>
    Effect.mapError(self, (error) =>
      isPostgresFailure(error)
        ? new StorageError({ operation: heldOperation(error) ?? operation, cause: error })
        : // `Exclude` does not narrow a type parameter; the guard above has taken its members out.
          (error as Exclude<E, PostgresFailure>)
    )
