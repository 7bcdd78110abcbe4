/**
 * Webhooks as somebody sends them by hand: a table of jobs, claimed a hundred at a time, signed, sent by undici, and settled
 * with a row for each attempt. Started by `Child` with the database's URL and the receiver's.
 */
import { createHmac } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Pool } from "undici"
import * as Ages from "./Ages.ts"
import { report } from "./Child.ts"

export type Command = { readonly kind: "fill"; readonly jobs: number } | { readonly kind: "work" }

const [databaseUrl = "", receiver = ""] = process.argv.slice(2)
const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 4 }))
const pool = new Pool(receiver, { connections: 64 })
const claimed = 100
const secret = "whsec_0123456789abcdef0123456789abcdef"
const decodeJobs = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int, body: Schema.String })))

/** About what an event of ours says. */
const body = JSON.stringify({ type: "bench.tick", data: { object: { id: "tick_1", note: "x".repeat(480) } } })

const fill = Effect.fnUntraced(function* (jobs: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`CREATE TABLE plain_jobs (id int PRIMARY KEY, state text NOT NULL, body text NOT NULL, updated_at bigint)`
  yield* sql`CREATE INDEX plain_jobs_due ON plain_jobs (id) WHERE state = 'due'`
  yield* sql`CREATE TABLE plain_attempts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job int, status int, millis int)`
  yield* sql`INSERT INTO plain_jobs SELECT id, 'due', ${body} FROM generate_series(1, ${jobs}::int) AS id`
})

const send = async (job: { readonly id: number; readonly body: string }) => {
  const startedAt = Ages.now()
  const seconds = Math.floor(startedAt / 1000)
  const signature = createHmac("sha256", secret).update(`${seconds}.${job.body}`).digest("hex")
  const response = await pool.request({
    method: "POST",
    path: "/ok/0",
    body: job.body,
    headers: {
      "content-type": "application/json",
      "service-signature": `t=${seconds},v1=${signature}`,
      "service-event-id": `job_${job.id}`
    }
  })
  await response.body.text()
  return { id: job.id, status: response.statusCode, millis: Math.round(Ages.now() - startedAt) }
}

const work = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  while (true) {
    const jobs = yield* decodeJobs(
      yield* sql`
        UPDATE plain_jobs SET state = 'active' WHERE id = ANY(ARRAY(
          SELECT id FROM plain_jobs WHERE state = 'due' ORDER BY id LIMIT ${claimed}::int FOR UPDATE SKIP LOCKED))
        RETURNING id, body`
    )
    if (jobs.length === 0) return
    const sent = yield* Effect.promise(() => Promise.all(jobs.map(send)))
    const ids = JSON.stringify(sent)
    yield* sql.withTransaction(
      Effect.andThen(
        sql`INSERT INTO plain_attempts (job, status, millis)
          SELECT id, status, millis FROM json_to_recordset(${ids}::json) AS sent (id int, status int, millis int)`,
        sql`UPDATE plain_jobs SET state = 'done', updated_at = 0
          WHERE id IN (SELECT id FROM json_to_recordset(${ids}::json) AS sent (id int))`
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
