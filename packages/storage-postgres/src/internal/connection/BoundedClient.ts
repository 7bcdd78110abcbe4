/**
 * A client that limits each statement to `Patience`, even against a frozen server that ignores cancels. The caller fails at
 * once; the statement is canceled in the background, and its connection is used again only after the server has confirmed
 * the cancel. A transaction gives its connection up instead.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { ofRequest, Patience } from "@limbeck/core/storage/Patience"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { boundPatience, failure, type LateFiber } from "./Bounded.ts"
import type { SessionConfig } from "./Connection.ts"
import * as LentConnection from "./LentConnection.ts"
import * as LookUps from "./LookUps.ts"
import * as T from "./PostgresTypes.ts"
import * as Session from "./Session.ts"
import { limitTime } from "./TimeLimit.ts"
import * as Transactions from "./Transactions.ts"
import { type SqlStatement, UnitOfWork } from "./UnitOfWork.ts"
import { WriteRefusals } from "./WriteRefusals.ts"

export interface BoundedClient extends PgClient.PgClient {
  readonly refusals: WriteRefusals
  /** The rows of a short read, outside of any transaction. */
  readonly lookUp: (said: SqlStatement) => Effect.Effect<ReadonlyArray<unknown>, SqlError>
}

/** Of what each statement fails with. */
type ErrorListener = (error: unknown) => Effect.Effect<void>

type ConnectionUse = <A, E, R>(
  f: (connection: Connection) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E | SqlError, R>

/**
 * Terminates the backend of a late packet on the server, so that the backend holds no locks until the server notices the
 * lost client; the connection stays reserved until then, so no other client can have that backend.
 */
const giveUp = (pool: Session.SessionPool, wire: PgConnection) =>
  Effect.andThen(
    pool.invalidate(wire),
    Effect.scoped(
      Effect.flatMap(pool.reserve, (other) => other.query("SELECT pg_terminate_backend($1)", [pool.processOf(wire)]))
    ).pipe(boundPatience, ofRequest, Effect.ignore)
  )

/** What the driver needs of its surroundings. */
const nothing = Context.make(References.TracerEnabled, false)

/**
 * Runs the driver without services. It takes and returns connections by `Effect.acquireRelease`, whose release gets a merged
 * copy of all services: 12 µs for a hundred, three times per statement. Requests have few, but workers have all of them.
 */
const alone = <A, E>(driving: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.updateContext(driving, () => nothing)

/** A connection that arrives after the caller's timeout returns to the pool. */
const takeConnection = (
  pool: Session.SessionPool,
  hear: ErrorListener
): Effect.Effect<Transactions.OpenConnection, SqlError> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    const closing = alone(Scope.close(scope, Exit.void))
    const abandon = (reserving: LateFiber) => void Effect.runFork(Effect.andThen(Fiber.await(reserving), closing))
    return Effect.map(boundPatience(alone(Scope.provide(pool.get, scope)), abandon), (wire) => {
      const unit = new UnitOfWork(wire, hear)
      const giveBack = Effect.suspend(() =>
        unit.late === undefined
          ? closing
          : Effect.asVoid(Effect.forkDetach(Effect.andThen(giveUp(pool, unit.wire), closing)))
      )
      return { unit, giveBack }
    })
  })

/** Holds the connection until the surrounding scope closes. */
const acquire = (take: Effect.Effect<Transactions.OpenConnection, SqlError>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.scope, (surrounding) =>
      Effect.flatMap(restore(take), ({ giveBack, unit }) => Effect.as(Scope.addFinalizer(surrounding, giveBack), unit))
    )
  )

/** Lends a connection to `f`, which keeps its own services. */
const lent = <A, E, R>(pool: Session.SessionPool, f: (connection: Connection) => Effect.Effect<A, E, R>) =>
  Effect.contextWith((context: Context.Context<R>) =>
    alone(
      Effect.scoped(
        Effect.flatMap(pool.reserve, (wire) => Effect.updateContext(f(LentConnection.make(wire)), () => context))
      )
    )
  )

/** How long a server may take to say good-bye. */
const closingMillis = 1_000

/** A nested scope whose close is limited in time: a frozen server never confirms the close. */
const hastyScope = Effect.acquireRelease(
  Effect.sync(() => Scope.makeUnsafe()),
  (scope) => Effect.ignore(limitTime(Scope.close(scope, Exit.void), closingMillis, () => {}))
)

/** `now`: in milliseconds, from anywhere. */
export const make = Effect.fnUntraced(function* ({ settings, ...config }: SessionConfig, now: () => number) {
  // One user at a time; statements issued in the same turn leave in one packet.
  const plain = yield* Scope.provide(
    PgPool.make({ ...config, multiplex: true, multiplexConcurrency: 1 }),
    yield* hastyScope
  )
  const pool = Session.pool(plain, settings)
  const refusals = new WriteRefusals(now)
  const hear: ErrorListener = (error) => Effect.sync(() => refusals.hear(error))
  // Connection and statement share one time limit.
  const lend: ConnectionUse = (f) =>
    Effect.flatMap(Patience, (millis) =>
      limitTime(Effect.tapError(lent(pool, f), hear), millis, () =>
        failure(`Postgres did not answer within ${millis} ms`)
      )
    )
  const take = takeConnection(pool, hear)
  const outer = yield* SqlClient.make({
    acquirer: acquire(take),
    borrower: lend,
    driver: "pg",
    compiler: PgClient.makeCompiler(),
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const client: BoundedClient = Object.assign(outer, Transactions.make(outer, take), {
    [PgClient.TypeId]: PgClient.TypeId,
    config,
    json: (value: unknown) => Statement.fragment([Statement.parameter(T.json(value))]),
    listen: (channel: string) =>
      Effect.flatMap(hastyScope, (scope) =>
        Scope.provide(
          Effect.flatMap(pool.reserve, (wire) => wire.listen(channel)),
          scope
        )
      ),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(
        lend((connection) => connection.execute("SELECT pg_notify($1, $2)", [channel, payload], undefined))
      ),
    refusals,
    lookUp: LookUps.make((f) => pool.use((wire) => Effect.onInterrupt(f(wire), () => giveUp(pool, wire))))
  })
  return client
})
