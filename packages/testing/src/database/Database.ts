/** Schemas and databases of a test's own on the Postgres of this test run. They are dropped when the test ends. */
import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Scope from "effect/Scope"
import type { AtEnd } from "../AtEnd.ts"
import { patienceMillis } from "../Eventually.ts"
import { url } from "../fixtures/Postgres.ts"

export { url }

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset)

const encodeInt8 = (value: number | bigint) => {
  const bytes = new Uint8Array(8)
  viewOf(bytes).setBigInt64(0, BigInt(value))
  return Result.succeed(bytes)
}

/** Reads `bigint` columns as numbers. */
const types = PgTypes.makeRegistry()
types.register<number | bigint>(PgTypes.OID.int8, {
  encode: encodeInt8,
  decode: (bytes) => Result.succeed(Number(viewOf(bytes).getBigInt64(0)))
})

/**
 * A client beside the storage under test, for facts that ports do not show. Finds the tables of `schema` without naming it,
 * and reads `bigint` columns as numbers. On a busy machine a connection may take longer than the client's own 5 seconds.
 *
 * @example
 * const sql = yield* Database.client(schema)
 * const rows = yield* sql`SELECT id FROM events`
 */
export const client = (schema: string, of = url) =>
  Effect.provideServiceEffect(
    PgClient.makeClient({
      url: Redacted.make(of),
      startupParameters: { search_path: schema },
      types,
      connectTimeout: patienceMillis
    }),
    Reactivity.Reactivity,
    Reactivity.make
  )

const fresh = () => `test_${randomUUID().replaceAll("-", "")}`

/**
 * The name of a fresh schema. It is dropped when the scope closes.
 *
 * @example
 * const schema = yield* Database.freshSchema
 * yield* Layer.build(StoragePostgres.layer({ url: Database.url, schema }))
 */
export const freshSchema = Effect.acquireRelease(Effect.sync(fresh), (schema) =>
  Effect.gen(function* () {
    const sql = yield* client(schema)
    yield* sql`SET client_min_messages = warning`
    yield* sql`DROP SCHEMA IF EXISTS ${sql(schema)} CASCADE`
  }).pipe(Effect.scoped, Effect.orDie)
)

/**
 * A storage on a schema of its own. `layer` is the adapter under test.
 *
 * @example
 * suite("my storage", Database.storageOn(MyStorage.layer))
 */
export const storageOn = <A, E, R>(
  layer: (options: { readonly url: string; readonly schema: string }) => Layer.Layer<A, E, R>
) => Layer.unwrap(Effect.map(freshSchema, (schema) => layer({ url, schema })))

/**
 * Two storages on one schema, each with connections of its own, as two processes would have; and a client beside them.
 *
 * @example
 * const { one, two, sql } = yield* Database.twoStoragesOn(StoragePostgres.layer)
 */
export const twoStoragesOn = <A, E, R>(
  layer: (options: { readonly url: string; readonly schema: string }) => Layer.Layer<A, E, R>
) =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    // A layer made twice is two layers without shared state.
    const one = yield* Layer.build(layer({ url, schema }))
    const two = yield* Layer.build(layer({ url, schema }))
    return { one, two, schema, sql: yield* client(schema) }
  })

/**
 * A schema for a test that is no Effect program, with a client. The schema is dropped when the test ends.
 *
 * @example
 * const { schema, sql } = await Database.openSchema(onTestFinished)
 */
export const openSchema = (atEnd: AtEnd) => {
  const scope = Scope.makeUnsafe()
  atEnd(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(
    Effect.gen(function* () {
      const schema = yield* freshSchema
      return { schema, sql: yield* client(schema) }
    }).pipe(Scope.provide(scope))
  )
}

/**
 * Runs one statement, in the database of this URL.
 *
 * @example
 * await Database.execute("DELETE FROM limbeck.migrations", database)
 */
export const execute = (statement: string, database = url): Promise<void> =>
  client("public", database).pipe(
    Effect.flatMap((sql) => sql`${sql.literal(statement)}`),
    Effect.asVoid,
    Effect.scoped,
    Effect.runPromise
  )

/**
 * The URL of the test's own database. It is dropped at the end of the test, despite open connections.
 *
 * @example
 * const DATABASE_URL = await Database.freshDatabase(onTestFinished)
 */
export const freshDatabase = async (atEnd: AtEnd): Promise<string> => {
  const name = fresh()
  await execute(`CREATE DATABASE ${name}`)
  atEnd(() => execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  const database = new URL(url)
  database.pathname = `/${name}`
  return database.href
}

/**
 * Whether no transaction is open in the database, and no statement runs.
 *
 * @example
 * await eventually("the server holds no lock", () => Database.isIdle(database))
 */
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
