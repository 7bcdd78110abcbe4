/**
 * Our writes inside a transaction of the host's. A savepoint keeps a failure of ours from being one of the host's, and the
 * search path leads to our tables only while we are at it: host statements before and after find what they always found.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { type HostClient, HostTransactionError } from "@limbeck/core/storage/HostTransaction"
import type { Storage } from "@limbeck/core/storage/Storage"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { connectionIn } from "../connection/EnclosingConnection.ts"
import { HostConnection } from "./HostConnection.ts"

const savepoint = "limbeck"

/** Puts temporary tables last, or the host's temporary tables would shadow ours. */
const searchPath = (schema: string) => `${schema}, pg_temp`

const enterStatement = `
  WITH found AS MATERIALIZED (SELECT current_setting('search_path') AS path)
  SELECT path, set_config('search_path', $1, true) FROM found`

const decodePaths = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ path: Schema.String })]))

const hints: Readonly<Record<string, string>> = {
  "25P01": "the client has no transaction: send BEGIN on it first, and give one client rather than a pool",
  "25P02": "the transaction has failed before; only ROLLBACK helps",
  "42501": "the client's role may not use our tables",
  "42P01": "our tables are not there for the client: another database, or a role without rights on our schema"
}

const failureOf = (refused: unknown): HostTransactionError => {
  const code = typeof refused === "object" && refused !== null && "code" in refused ? String(refused.code) : null
  const said = refused instanceof Error ? refused.message : String(refused)
  const hint = code === null ? undefined : hints[code]
  return new HostTransactionError({ message: hint === undefined ? said : `${said} (${hint})`, code, cause: refused })
}

const isClient = (value: unknown): value is HostClient =>
  typeof value === "object" && value !== null && "query" in value && typeof value.query === "function"

/** The host's connection, if the running fiber is inside the host's transaction. */
export const surrounding = (sql: PgClient.PgClient): Effect.Effect<HostConnection | undefined> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const connection = connectionIn(sql, context)
    return Effect.succeed(connection instanceof HostConnection ? connection : undefined)
  })

export const make = (sql: PgClient.PgClient, schema: string): Storage["Service"]["inHostTransaction"] => {
  /** Two at once on one client would leave each other's search path behind. */
  const turns = new WeakMap<HostClient, Semaphore.Semaphore>()
  const turnOf = (client: HostClient) => {
    const turn = turns.get(client) ?? Semaphore.makeUnsafe(1)
    turns.set(client, turn)
    return turn
  }

  const within = <A, E, R>(connection: HostConnection, self: Effect.Effect<A, E, R>) => {
    const run = (statement: string, values: ReadonlyArray<string> = []) => connection.execute(statement, values)
    const enter = Effect.gen(function* () {
      const rows = yield* run(enterStatement, [searchPath(schema)])
      const [{ path }] = yield* Effect.orDie(decodePaths(rows))
      return path
    })
    const leave = (path: string) =>
      Effect.andThen(run("SELECT set_config('search_path', $1, true)", [path]), run(`RELEASE SAVEPOINT ${savepoint}`))
    // Takes the search path back too.
    const undo = Effect.andThen(run(`ROLLBACK TO SAVEPOINT ${savepoint}`), run(`RELEASE SAVEPOINT ${savepoint}`))

    const inside = Effect.flatMap(enter, (path) =>
      Effect.tap(Effect.provideService(self, sql.transactionService, [connection, 0]), leave(path))
    )
    return Effect.andThen(
      run(`SAVEPOINT ${savepoint}`),
      // A connection that is gone cannot undo, and need not.
      Effect.onError(inside, () => Effect.ignore(undo))
    )
  }

  const join = <A, E, R>(client: HostClient, self: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const connection = new HostConnection(client)
      return Effect.mapError(within(connection, self), (error) =>
        connection.refused === undefined
          ? // The database refused nothing, so the failure comes from `self`.
            (error as E)
          : failureOf(connection.refused)
      )
    })

  return (client, self) =>
    Effect.suspend(() =>
      isClient(client)
        ? turnOf(client).withPermit(Effect.uninterruptible(join(client, self)))
        : Effect.fail(failureOf(new TypeError("A transaction is given as the node-postgres client that began it")))
    )
}
