/** A database of its own for a test, on the Postgres of this test run. */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { client, url } from "../../../packages/storage-postgres/test/Database.ts"
import type { AtEnd } from "./AtEnd.ts"

const execute = (statement: string): Promise<void> =>
  client("public").pipe(
    Effect.flatMap((sql) => sql`${sql.literal(statement)}`),
    Effect.asVoid,
    Effect.scoped,
    Effect.runPromise
  )

/** Its URL. Dropped when the test ends, whoever is still connected. */
export const freshDatabase = async (atEnd: AtEnd): Promise<string> => {
  const name = `standalone_${randomUUID().replaceAll("-", "")}`
  await execute(`CREATE DATABASE ${name}`)
  atEnd(() => execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  const database = new URL(url)
  database.pathname = `/${name}`
  return database.href
}

/** Whether no transaction is open in the database, and no statement runs. */
export const isIdle = (database: string): Promise<boolean> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client("public")
        const busy = yield* sql`
          SELECT pid FROM pg_stat_activity WHERE datname = ${new URL(database).pathname.slice(1)} AND state <> 'idle'`
        return busy.length === 0
      })
    )
  )
