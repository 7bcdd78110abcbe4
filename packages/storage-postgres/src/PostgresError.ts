/** Turns what the database and its rows can do wrong into `StorageError`, and leaves every other failure as it is. */
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MigrationError } from "effect/sql/Migrator"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/** The database refused, did not answer, or held a row that its schema does not allow. */
type PostgresFailure = SqlError | Schema.SchemaError | MigrationError

const isPostgresFailure = (error: unknown): error is PostgresFailure =>
  isSqlError(error) ||
  Schema.isSchemaError(error) ||
  (typeof error === "object" && error !== null && "_tag" in error && error._tag === "MigrationError")

/** Failures of the database inside `self` become a `StorageError` that names the operation. */
export const failAs =
  (operation: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, PostgresFailure> | StorageError, R> =>
    Effect.mapError(self, (error) =>
      isPostgresFailure(error)
        ? new StorageError({ operation, cause: error })
        : // `Exclude` does not narrow a type parameter; the guard above has taken its members out.
          (error as Exclude<E, PostgresFailure>)
    )
