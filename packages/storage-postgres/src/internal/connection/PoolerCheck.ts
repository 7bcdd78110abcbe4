/** Whether a connection of ours keeps its own process of the server, or a pooler lends it another one for each transaction. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SessionConfig } from "./Connection.ts"

/** Rounds in which two connections ask for their process. In one round a pooler may give each another by chance. */
const rounds = 3

const Process = Schema.Tuple([Schema.Struct({ pid: Schema.Int })])

const refused = () =>
  new StorageError({
    operation: "StoragePostgres.connect",
    cause: new Error(
      "a pooler shares the connections of the database between transactions (pool_mode=transaction or statement): " +
        "session locks, settings and LISTEN need pool_mode=session, or a direct connection"
    )
  })

/**
 * Fails if two open connections share a server process, or if a connection changes its process. Statements go unprepared,
 * because a transaction pooler may not know a prepared statement.
 */
export const check = Effect.fnUntraced(function* ({ settings: _, ...config }: SessionConfig) {
  const connections = yield* Effect.all([PgClient.makeClient(config), PgClient.makeClient(config)])
  const processes = connections.map(() => new Set<number>())
  for (let round = 0; round < rounds; round++) {
    for (const [at, sql] of connections.entries()) {
      const rows = yield* sql.unsafe("SELECT pg_backend_pid() AS pid").unprepared
      const [{ pid }] = yield* Schema.decodeUnknownEffect(Process)(rows)
      processes[at]?.add(pid)
    }
  }
  const isShared = new Set(processes.flatMap((seen) => [...seen])).size !== connections.length
  if (isShared) return yield* refused()
}, Effect.scoped)
