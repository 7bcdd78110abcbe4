/** A server that builds a version is held in the middle of it: it has stored a batch of rows, and waits with the next. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { client, execute } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import * as Effect from "effect/Effect"

const statements = [
  "CREATE TABLE limbeck.hold ()",
  `CREATE FUNCTION limbeck.wait_for_release() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    WHILE EXISTS (SELECT FROM limbeck.dataset_rows) AND EXISTS (SELECT FROM limbeck.hold) LOOP
      PERFORM pg_sleep(0.02);
    END LOOP;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER wait_for_release BEFORE INSERT ON limbeck.dataset_rows
  FOR EACH STATEMENT EXECUTE FUNCTION limbeck.wait_for_release()`,
  "INSERT INTO limbeck.hold DEFAULT VALUES"
]

/** From now on whoever stores rows is held after the first batch. */
export const hold = async (database: string): Promise<void> => {
  for (const statement of statements) await execute(statement, database)
}

export const release = (database: string): Promise<void> => execute("DELETE FROM limbeck.hold", database)

/** The one that is held now. */
const held = (database: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client("limbeck", database)
        return yield* sql<{ pid: number }>`SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
      })
    )
  )

export const isHeld = (database: string) =>
  eventually("the server waits with the next batch of rows", async () => (await held(database)).length > 0)

/** Ends the statement that a killed server has left waiting. */
export const endWaiting = (database: string) =>
  eventually("nobody waits", async () => {
    for (const { pid } of await held(database)) await execute(`SELECT pg_terminate_backend(${pid})`, database)
    return (await held(database)).length === 0
  })

/** Where the database of a server with `STORAGE=embedded` is reached, while the server runs. */
export const embeddedUrl = async (dataDir: string): Promise<string> => {
  const lines = (await readFile(join(dataDir, "postgres/data/postmaster.pid"), "utf8")).split("\n")
  return `postgres:///postgres?host=${encodeURIComponent(lines[4] ?? "")}&port=${lines[3]}&user=postgres`
}
