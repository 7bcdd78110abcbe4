/** The shop's own database, like any backend's: a node-postgres pool, and a transaction helper. */
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import pg from "pg"

/** The Postgres of `DATABASE_URL`, or else a temporary private one. */
const server = async () => {
  const { DATABASE_URL: given } = process.env
  if (given !== undefined) return { url: given, stop: async () => {} }
  const scope = await Effect.runPromise(Scope.make())
  const { url } = await Effect.runPromise(Scope.provide(EmbeddedPostgres.launch({}), scope))
  return { url, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

export const open = async () => {
  const { stop, url } = await server()
  const pool = new pg.Pool({ connectionString: url })
  // An idle client that the server ends is replaced by the pool; unheard, its error would end the process.
  pool.on("error", () => {})
  await pool.query("CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, item text NOT NULL CHECK (item <> ''))")

  const transaction = async (write: (client: pg.PoolClient) => Promise<unknown>) => {
    const client = await pool.connect()
    let failure: Error | undefined
    try {
      await client.query("BEGIN")
      await write(client)
      await client.query("COMMIT")
    } catch (error) {
      // Releasing a client with an error closes it, which rolls its transaction back.
      failure = error instanceof Error ? error : new Error(String(error))
      throw error
    } finally {
      client.release(failure)
    }
  }

  const close = async () => {
    await pool.end()
    await stop()
  }
  return { url, transaction, close }
}
