/** Failures of SQLite, and of decoding its rows. */
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** The distinguished primary result codes of SQLite: https://sqlite.org/rescode.html */
const codes = { busy: 5, readOnly: 8, ioError: 10, full: 13, cannotOpen: 14 }

const codeOf = (cause: unknown): number | undefined =>
  Predicate.hasProperty(cause, "errcode") && typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined

/** Another process has the database for a moment. */
export const isBusy = ({ cause }: StorageError): boolean => codeOf(cause) === codes.busy

/** SQLite answers, and takes no writes: the file or its disk does not let it. */
export const isWriteRefusal = ({ cause }: StorageError): boolean => {
  const code = codeOf(cause)
  return code === codes.readOnly || code === codes.full || code === codes.ioError || code === codes.cannotOpen
}

/** Turns SQLite's refusals and malformed rows into `StorageError`. Anything else is a defect. */
export const attempt = <A>(operation: string, work: () => A): Effect.Effect<A, StorageError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      const isStorage = codeOf(cause) !== undefined || Schema.isSchemaError(cause)
      return isStorage ? Effect.fail(new StorageError({ operation, cause })) : Effect.die(cause)
    }
  })
