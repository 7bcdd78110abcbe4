/**
 * Applies our session settings to each new connection by a statement. A pooler such as pgbouncer refuses or drops settings
 * sent as startup parameters.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { PgPool } from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { SessionConfig, Settings } from "./Connection.ts"

const statementOf = (settings: Settings): readonly [sql: string, values: ReadonlyArray<string>] => {
  const entries = Object.entries(settings)
  const calls = entries.map((_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false)`)
  return [`SELECT pg_backend_pid() AS pid, ${calls.join(", ")}`, entries.flat()]
}

export interface SessionPool extends PgPool {
  /** The server process behind a connection. A pooler reports another number to its clients. */
  readonly processOf: (wire: PgConnection) => number
}

/** The same pool, whose connections have the settings before anybody gets them: one round trip for each new connection. */
export const pool = (plain: PgPool, settings: Settings): SessionPool => {
  const processes = new WeakMap<PgConnection, number>()
  const [sql, values] = statementOf(settings)

  const begin = (wire: PgConnection): Effect.Effect<PgConnection, SqlError> =>
    Effect.matchEffect(wire.query(sql, values, false), {
      onSuccess: ({ rows: [row] }) => {
        processes.set(wire, Number(row?.["pid"]))
        return Effect.succeed(wire)
      },
      onFailure: (error) => Effect.andThen(plain.invalidate(wire), Effect.fail(error))
    })

  const begun = (wire: PgConnection) => (processes.has(wire) ? Effect.succeed(wire) : begin(wire))
  const get = Effect.flatMap(plain.get, begun)
  return {
    ...plain,
    get,
    reserve: Effect.flatMap(get, ({ pin }) => pin),
    use: (f) => plain.use((wire) => (processes.has(wire) ? f(wire) : Effect.flatMap(begin(wire), f))),
    processOf: (wire) => processes.get(wire) ?? wire.processId
  }
}

/** One connection with the settings. */
export const client = Effect.fnUntraced(function* ({ settings, ...config }: SessionConfig) {
  const sql = yield* PgClient.makeClient(config)
  yield* sql.unsafe(...statementOf(settings)).unprepared
  return sql
})
