/** Database fixtures of this adapter's tests: the adapter on its own schema, and clients with its settings. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Database from "@limbeck/testing/database/Database"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { clientConfig } from "../src/internal/connection/Connection.ts"
import * as Session from "../src/internal/connection/Session.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"

export const { freshSchema, url } = Database

/** A client with the adapter's session settings, and so with its plans. Its tables are those of `schema`. */
export const client = (schema: string, of = url) =>
  Effect.provideServiceEffect(Session.client(clientConfig({ url: of }, schema)), Reactivity.Reactivity, Reactivity.make)

/** A storage on a schema of its own. */
export const storage = Database.storageOn(StoragePostgres.layer)

/** Two storages on one schema, each with connections and doorbells of its own: what two processes are to the database. */
export const twoPools = Database.twoStoragesOn(StoragePostgres.layer)

/** Analyzes this schema only: a plain `ANALYZE` would also change the plans of concurrent tests. */
export const analyze = (sql: PgClient.PgClient) =>
  sql.unsafe(`DO $$
    DECLARE name regclass;
    BEGIN
      FOR name IN SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') LOOP
        EXECUTE 'ANALYZE ' || name;
      END LOOP;
    END $$`).unprepared
