/**
 * Maps database failures to `StorageError`, and leaves every other failure alone. A value that our own schema or codec
 * rejects is a defect: the log shows the cause, and the client gets a 500.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MigrationError } from "effect/sql/Migrator"
import { isSqlError, SqlError, UnknownError } from "effect/sql/SqlError"

/** The database refused or did not answer, or a value or a row has a form that its schema does not allow. */
type PostgresFailure = SqlError | Schema.SchemaError | MigrationError

const isDatabaseFailure = (error: unknown): error is SqlError | MigrationError =>
  isSqlError(error) ||
  (typeof error === "object" && error !== null && "_tag" in error && error._tag === "MigrationError")

/** A value that has no form in Postgres: the client throws before it sends anything. */
const isUnencodable = (error: unknown): boolean => isSqlError(error) && error.reason.cause instanceof PgTypes.CodecError

/** SQLSTATE classes about values alone: data exception, integrity violation, program limit exceeded. */
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
  if (isUnencodable(error)) return "a value has no form in Postgres"
  const state = stateOf(error)
  return state !== undefined && dataClasses.includes(state.slice(0, 2)) ? `SQLSTATE ${state}` : undefined
}

/** `unique_violation`. */
export const isDuplicate = (error: unknown): error is SqlError => isSqlError(error) && stateOf(error) === "23505"

/** `read_only_sql_transaction` and `disk_full`: the server answers, and takes no writes. */
const writeRefusals = ["25006", "53100"]

export const isWriteRefusal = (error: unknown): boolean =>
  isSqlError(error) && writeRefusals.includes(stateOf(error) ?? "")

/** A held write that failed when sent, while the caller waited for a later statement. */
class HeldWriteRefused extends UnknownError {}

/** The failure of a held write, under the name of its own operation. */
export const ofHeldWrite = (operation: string, { message, reason }: SqlError): SqlError =>
  new SqlError({ reason: new HeldWriteRefused({ cause: reason.cause, message, operation }) })

const heldOperation = (error: unknown): string | undefined =>
  isSqlError(error) && error.reason instanceof HeldWriteRefused ? error.reason.operation : undefined

/** The log entry for a value or a row that our schema or codec rejects. */
const defectOf = (operation: string, cause: unknown): Error =>
  new Error(`${operation} met a value that its schema does not allow`, { cause })

/**
 * Turns database failures inside `self` into a `StorageError` with the operation's name, or with that of the failed held
 * write. A value rejected by a schema or a codec becomes a defect with the operation's name.
 */
export const failAs =
  (operation: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, PostgresFailure> | StorageError, R> =>
    Effect.catch(self, (error) => {
      if (Schema.isSchemaError(error) || isUnencodable(error))
        return Effect.die(defectOf(heldOperation(error) ?? operation, error))
      const failure = isDatabaseFailure(error)
        ? new StorageError({ operation: heldOperation(error) ?? operation, cause: error })
        : // `Exclude` does not narrow a type parameter; the guards above have taken its members out.
          (error as Exclude<E, PostgresFailure>)
      return Effect.fail(failure)
    })
