/** A trigger holds a server at a known place: the statement that reaches it waits in the database until the test releases it. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { client, execute } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import * as Effect from "effect/Effect"

/** Where a test holds a server. */
export interface Place {
  /** The held statements, such as `BEFORE INSERT ON limbeck.dataset_rows FOR EACH STATEMENT`. */
  readonly statements: string
  /** The SQL condition under which one waits. It may name `OLD` and `NEW`, and `passed`: the value that the last release let pass. */
  readonly condition: string
}

/** Whoever stores rows is held after the first batch. */
export const secondBatch: Place = {
  statements: "BEFORE INSERT ON limbeck.dataset_rows FOR EACH STATEMENT",
  condition: "EXISTS (SELECT FROM limbeck.dataset_rows)"
}

/** The next write of a run whose sft stage has a checkpoint that the test has not let pass. */
export const checkpointKept: Place = {
  statements: "BEFORE UPDATE ON limbeck.resources FOR EACH ROW WHEN (OLD.kind = 'distill_run')",
  condition: "OLD.doc #>> '{stages,1,checkpoint,state,sha256}' <> COALESCE(passed, '')"
}

/** From now on statements are held at the place. */
export const hold = async (database: string, { condition, statements }: Place): Promise<void> => {
  const all = [
    "CREATE TABLE limbeck.hold (passed text)",
    `CREATE FUNCTION limbeck.wait_for_release() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      WHILE EXISTS (SELECT FROM limbeck.hold WHERE ${condition}) LOOP
        PERFORM pg_sleep(0.02);
      END LOOP;
      RETURN NEW;
    END $$`,
    `CREATE TRIGGER wait_for_release ${statements} EXECUTE FUNCTION limbeck.wait_for_release()`,
    "INSERT INTO limbeck.hold DEFAULT VALUES"
  ]
  for (const statement of all) await execute(statement, database)
}

/** Statements of this value pass from now on. */
export const letPass = (database: string, value: string): Promise<void> =>
  execute(`UPDATE limbeck.hold SET passed = '${value}'`, database)

export const release = (database: string): Promise<void> => execute("DELETE FROM limbeck.hold", database)

type Sql = Effect.Success<ReturnType<typeof client>>

/** Looks, over one connection, until the statements that are held now please. */
const look = (
  database: string,
  what: string,
  pleases: (sql: Sql, held: ReadonlyArray<number>) => Effect.Effect<boolean, unknown>
) =>
  Effect.gen(function* () {
    const sql = yield* client("limbeck", database)
    const pids = Effect.map(
      sql<{ pid: number }>`
        SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
      (rows) => rows.map(({ pid }) => pid)
    )
    const looked = Effect.flatMap(pids, (held) => pleases(sql, held))
    yield* Effect.promise(() => eventually(what, () => Effect.runPromise(looked)))
  }).pipe(Effect.scoped, Effect.runPromise)

export const isHeld = (database: string) =>
  look(database, "the server waits with the next statement", (_, { length }) => Effect.succeed(length > 0))

/** Ends the statement that a killed server has left waiting. */
export const endWaiting = (database: string) =>
  look(database, "nobody waits", (sql, held) =>
    Effect.as(
      Effect.forEach(held, (pid) => sql`SELECT pg_terminate_backend(${pid}::int)`),
      held.length === 0
    )
  )

/** Where the database of a server with `STORAGE=embedded` is reached, while the server runs. */
export const embeddedUrl = async (dataDir: string): Promise<string> => {
  const lines = (await readFile(join(dataDir, "postgres/data/postmaster.pid"), "utf8")).split("\n")
  return `postgres:///postgres?host=${encodeURIComponent(lines[4] ?? "")}&port=${lines[3]}&user=postgres`
}
