/**
 * Webhooks as somebody sends them by hand: a table of jobs, claimed a hundred at a time, signed, sent, and settled with a row for
 * each attempt. Started by `Child` with the database's URL and the receiver's.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as ByHand from "./ByHand.ts"
import { report } from "./Child.ts"

export type Command = { readonly kind: "fill"; readonly jobs: number } | { readonly kind: "work" }

const [databaseUrl = "", receiver = ""] = process.argv.slice(2)
const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 4 }))
const send = ByHand.sender(receiver)
const decodeJobs = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String, body: Schema.String })))

const fill = Effect.fnUntraced(function* (jobs: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`CREATE TABLE plain_jobs (id text PRIMARY KEY, state text NOT NULL, body text NOT NULL, updated_at bigint)`
  yield* sql`CREATE INDEX plain_jobs_due ON plain_jobs (id) WHERE state = 'due'`
  yield* Effect.forEach(ByHand.createAttempts, (statement) => sql.unsafe(statement))
  yield* sql`INSERT INTO plain_jobs SELECT 'job_' || id, 'due', ${ByHand.body} FROM generate_series(1, ${jobs}::int) AS id`
})

const work = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  while (true) {
    const jobs = yield* decodeJobs(
      yield* sql`
        UPDATE plain_jobs SET state = 'active' WHERE id = ANY(ARRAY(
          SELECT id FROM plain_jobs WHERE state = 'due' ORDER BY id LIMIT ${ByHand.claimSize}::int FOR UPDATE SKIP LOCKED))
        RETURNING id, body`
    )
    if (jobs.length === 0) return
    const sent = yield* Effect.promise(() => Promise.all(jobs.map(send)))
    const ids = JSON.stringify(jobs.map(({ id }) => id))
    yield* sql.withTransaction(
      Effect.andThen(
        sql.unsafe(ByHand.insertAttempts, [JSON.stringify(sent)]),
        sql`UPDATE plain_jobs SET state = 'done', updated_at = 0
          WHERE id IN (SELECT json_array_elements_text(${ids}::json))`
      )
    )
  }
})

report("sender", (command) => {
  // Only the benchmark sends commands, and it sends these.
  const asked = command as Command
  if (asked.kind === "fill") return runtime.runPromise(fill(asked.jobs))
  runtime.runFork(work)
  return null
})
