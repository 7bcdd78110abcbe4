/** A schema of a test's own, dropped at its end. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { client, freshSchema } from "../../../storage-postgres/test/Database.ts"

/** Takes what undoes something when the test ends. */
export type AtEnd = (undo: () => Promise<void> | void) => void

export const open = (atEnd: AtEnd) => {
  const scope = Scope.makeUnsafe()
  atEnd(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(
    Effect.gen(function* () {
      const schema = yield* freshSchema
      return { schema, sql: yield* client(schema) }
    }).pipe(Scope.provide(scope))
  )
}
