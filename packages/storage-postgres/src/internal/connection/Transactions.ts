/**
 * Our transactions. A nested transaction joins the outer one: both commit or roll back together. After-commit effects run after the
 * connection's return to the pool, in the context that began the transaction.
 *
 * Effect's own transactions stay unused for two reasons. They know no held writes: a commit here sends the writes of its
 * `UnitOfWork` in the same packet. And they copy all services for each transaction and each after-commit effect. A request
 * has few services; a worker has all, some two hundred, which makes 12 kB per copy.
 */
import * as Trace from "@limbeck/core/trace/Trace"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { connectionIn } from "./EnclosingConnection.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** A reserved connection, until `giveBack`. */
export interface OpenConnection {
  readonly unit: UnitOfWork
  readonly giveBack: Effect.Effect<void>
}

/** What follows a commit fails nobody: all is committed. */
const runAfterCommit = (effect: Effect.Effect<void>) =>
  Effect.ignoreCause(effect, { log: "Unhandled", message: "after_commit_failed" })

/** `take` is interrupted where its caller is. */
export const make = (
  client: Pick<SqlClient, "transactionService">,
  take: Effect.Effect<OpenConnection, SqlError>
): Pick<SqlClient, "afterCommit" | "withTransaction"> => {
  const begin = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(take), ({ giveBack, unit }) => {
        const done = Effect.exit(restore(Effect.provideService(self, client.transactionService, [unit, 0])))
        const ended = Effect.flatMap(done, (exit) =>
          Effect.andThen(Exit.isSuccess(exit) ? unit.commit : unit.rollback, exit)
        )
        const following = Effect.suspend(() => Effect.forEach(unit.end(), runAfterCommit, { discard: true }))
        return Effect.tap(
          Effect.onExit(ended, () => giveBack),
          following
        )
      })
    )

  return {
    withTransaction: <R, E, A>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      Effect.contextWith((context: Context.Context<R>) =>
        connectionIn(client, context) === undefined ? Trace.traceSpan("sql.transaction")(begin(self)) : self
      ),
    afterCommit: <R>(effect: Effect.Effect<void, never, R>) =>
      Effect.contextWith((context: Context.Context<R>) => {
        const connection = connectionIn(client, context)
        // The context that began the transaction has the services of the effect, since its type requires them.
        // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off
        const following = effect as Effect.Effect<void>
        return connection instanceof UnitOfWork ? connection.afterCommit(following) : runAfterCommit(following)
      })
  }
}
