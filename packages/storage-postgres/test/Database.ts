/** What the tests of this adapter use of the database: the adapter on a schema of its own, and clients with its settings. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Database from "@limbeck/testing/database/Database"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { clientConfig } from "../src/internal/connection/Connection.ts"
import * as Session from "../src/internal/connection/Session.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"

export const { freshSchema, url } = Database

/** A client whose sessions are those of the adapter, so that its plans are too. It finds the tables of `schema`. */
export const client = (schema: string, of = url) =>
  Effect.provideServiceEffect(Session.client(clientConfig({ url: of }, schema)), Reactivity.Reactivity, Reactivity.make)

/** A storage on a schema of its own. */
export const storage = Database.storageOn(StoragePostgres.layer)

/** Two storages on one schema, each with connections and doorbells of its own: what two processes are to the database. */
export const twoPools = Database.twoStoragesOn(StoragePostgres.layer)

/** As `ANALYZE` alone, which would also look at the tables of tests beside this one and so change their plans. */
export const analyze = (sql: PgClient.PgClient) =>
  sql.unsafe(`DO $$
    DECLARE name regclass;
    BEGIN
      FOR name IN SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') LOOP
        EXECUTE 'ANALYZE ' || name;
      END LOOP;
    END $$`).unprepared
