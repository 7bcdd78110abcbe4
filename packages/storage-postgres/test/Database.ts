/** The database of this test run, and schemas in it that go when their users do. */
import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { url } from "@limbeck/testing/fixtures/Postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { clientConfig } from "../src/Connection.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"

export { url }

/** A client beside the storage under test, for what the ports do not show. It finds the tables of `schema`. */
export const client = (schema: string, of = url) =>
  Effect.provideServiceEffect(
    PgClient.makeClient(clientConfig({ url: of }, schema)),
    Reactivity.Reactivity,
    Reactivity.make
  )

/** The name of a schema that nobody has, and that is dropped at the end. */
export const freshSchema = Effect.acquireRelease(
  Effect.sync(() => `test_${randomUUID().replaceAll("-", "")}`),
  (schema) =>
    Effect.gen(function* () {
      const sql = yield* client(schema)
      yield* sql`SET client_min_messages = warning`
      yield* sql`DROP SCHEMA IF EXISTS ${sql(schema)} CASCADE`
    }).pipe(Effect.scoped, Effect.orDie)
)

/** A storage on a schema of its own. */
export const storage = Layer.unwrap(Effect.map(freshSchema, (schema) => StoragePostgres.layer({ url, schema })))

/** As `ANALYZE` alone, which would also look at the tables of tests beside this one and so change their plans. */
export const analyze = (sql: PgClient.PgClient) =>
  sql.unsafe(`DO $$
    DECLARE name regclass;
    BEGIN
      FOR name IN SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') LOOP
        EXECUTE 'ANALYZE ' || name;
      END LOOP;
    END $$`).unprepared
