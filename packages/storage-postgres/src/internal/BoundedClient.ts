/**
 * A client on which no statement lasts longer than `Patience`, whatever becomes of the server: one that is frozen answers
 * nothing, not even to a cancel. The caller is told at once; the statement is canceled in the background, and its connection
 * is used again only if the server has confirmed that.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Patience } from "@limbeck/core/storage/Patience"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { isWriteRefusal } from "./PostgresError.ts"
import { within } from "./Within.ts"

/** A refused write counts for so long; those that wait to write try more often. */
const refusalMillis = 10_000

export interface BoundedClient extends PgClient.PgClient {
  /** Whether a write was refused a moment ago for the state of the server: it is read-only, or its disk is full. */
  readonly refusesWrites: () => boolean
}

const failure = (message: string) =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation: "query" }) })

/** Of what each statement fails with. */
type Hear = (error: unknown) => Effect.Effect<void>

type Late = Fiber.Fiber<unknown, unknown>

const bounded = <A, R>(self: Effect.Effect<A, SqlError, R>, onLate: (running: Late) => void = () => {}) =>
  Effect.flatMap(Patience, (millis) =>
    within(self, millis, (running) => {
      onLate(running)
      return failure(`Postgres did not answer within ${millis} ms`)
    })
  )

/**
 * What ends a transaction or a savepoint without keeping anything by itself. A connection that is lost cannot do that, and need
 * not: the server rolls back, and whatever follows in the transaction, its commit at the latest, fails and says why. The
 * transactions of Effect take a failure here for a defect.
 */
const isUndoing = (sql: string): boolean => sql.startsWith("ROLLBACK") || sql.startsWith("RELEASE SAVEPOINT ")

/** The connection of a transaction: after a statement that was late nothing else is sent on it. */
class BoundedConnection implements Connection {
  readonly inner: Connection
  readonly #hear: Hear
  late: Late | undefined

  constructor(inner: Connection, hear: Hear) {
    this.inner = inner
    this.#hear = hear
  }

  private run<A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> {
    return Effect.suspend(() =>
      this.late === undefined
        ? bounded(Effect.tapError(statement, this.#hear), (running) => {
            this.late = running
          })
        : Effect.fail(failure("An earlier statement of this transaction got no answer"))
    )
  }

  execute(...[sql, values, transform]: Parameters<Connection["execute"]>) {
    const running = this.run(this.inner.execute(sql, values, transform))
    return isUndoing(sql) ? Effect.orElseSucceed(running, () => []) : running
  }
  executeRaw(...[sql, values]: Parameters<Connection["executeRaw"]>) {
    return this.run(this.inner.executeRaw(sql, values))
  }
  executeStream(...[sql, values, transform]: Parameters<Connection["executeStream"]>) {
    return this.inner.executeStream(sql, values, transform)
  }
  executeValues(...[sql, values]: Parameters<Connection["executeValues"]>) {
    return this.run(this.inner.executeValues(sql, values))
  }
  executeValuesUnprepared(...[sql, values]: Parameters<Connection["executeValuesUnprepared"]>) {
    return this.run(this.inner.executeValuesUnprepared(sql, values))
  }
  executeUnprepared(...[sql, values, transform]: Parameters<Connection["executeUnprepared"]>) {
    return this.run(this.inner.executeUnprepared(sql, values, transform))
  }
}

/** Postgres answers a commit of a failed transaction with a rollback, and no error. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    const isCommitted =
      !(typeof result === "object" && result !== null && "command" in result) || result.command !== "ROLLBACK"
    const message = "COMMIT rolled back a transaction that had failed"
    return isCommitted
      ? Effect.void
      : Effect.fail(
          new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "commit" }) })
        )
  })

/** In the end of a transaction whose statement was late: its cancel first, so that no connection goes back inside of one. */
const giveBack = (connection: BoundedConnection, scope: Scope.Closeable) => {
  const closing = Scope.close(scope, Exit.void)
  const { inner, late } = connection
  if (late === undefined) return closing
  const undo = Effect.ignore(bounded(inner.executeRaw("ROLLBACK", [])))
  return Effect.asVoid(Effect.forkDetach(Effect.andThen(Fiber.await(late), Effect.andThen(undo, closing))))
}

const acquire = (reserve: PgClient.PgClient["reserve"], hear: Hear) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const scope = Scope.makeUnsafe()
      // Who is late with a connection gives it back when it comes.
      const abandon = (reserving: Late) =>
        void Effect.runFork(Effect.andThen(Fiber.await(reserving), Scope.close(scope, Exit.void)))
      return Effect.map(bounded(Scope.provide(reserve, scope), abandon), (inner) => ({
        connection: new BoundedConnection(inner, hear),
        scope
      }))
    }),
    ({ connection, scope }) => giveBack(connection, scope),
    { interruptible: true }
  ).pipe(Effect.map(({ connection }) => connection))

/** How long a server may take to say good-bye. */
const closingMillis = 1_000

/** A scope inside of the surrounding one, whose end nobody waits for longer than a moment: a frozen server answers no last word. */
const hastyScope = Effect.acquireRelease(
  Effect.sync(() => Scope.makeUnsafe()),
  (scope) => Effect.ignore(within(Scope.close(scope, Exit.void), closingMillis, () => {}))
)

/** `now`: in milliseconds, from anywhere. */
export const make = Effect.fnUntraced(function* (config: PgClient.PgPoolConfig, now: () => number) {
  const inner = yield* Scope.provide(PgClient.make(config), yield* hastyScope)
  let refusedAt = Number.NEGATIVE_INFINITY
  const hear: Hear = (error) =>
    Effect.sync(() => {
      if (isWriteRefusal(error)) refusedAt = now()
    })
  const acquirer = acquire(inner.reserve, hear)
  const outer = yield* SqlClient.make({
    acquirer,
    transactionAcquirer: acquirer,
    // Connection and statement share one time limit.
    borrower: (f) =>
      Effect.flatMap(Patience, (millis) =>
        within(Effect.tapError(Effect.scoped(Effect.flatMap(inner.reserve, f)), hear), millis, () =>
          failure(`Postgres did not answer within ${millis} ms`)
        )
      ),
    driver: "pg",
    compiler: PgClient.makeCompiler(),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const client: BoundedClient = Object.assign(outer, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: inner.config,
    json: inner.json,
    listen: (channel: string) => Effect.flatMap(hastyScope, (scope) => Scope.provide(inner.listen(channel), scope)),
    notify: (channel: string, payload: string) => bounded(inner.notify(channel, payload)),
    refusesWrites: () => now() - refusedAt < refusalMillis
  })
  return client
})
