/** Five steps of a run as somebody writes them by hand: each is a transaction that changes the row of the run and stores an event. */
import { performance } from "node:perf_hooks"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as PostgresUsage from "./PostgresUsage.ts"

export interface PlainSteps {
  readonly perSecond: number
  /** Of this process, and of Postgres where the system tells it. */
  readonly cpuMicrosEach: number
  readonly postgresMicrosEach: number | null
}

const steps = 5
const clients = 8
/** About what an event of ours holds. */
const body = JSON.stringify({ object: "x".repeat(1_500) })

const driving = Effect.fnUntraced(
  function* (url: string, runs: number) {
    const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: clients })
    yield* sql`CREATE TABLE plain_runs (id int PRIMARY KEY, status text NOT NULL, doc json NOT NULL)`
    yield* sql`CREATE TABLE plain_events (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run int, type text, body text)`
    yield* sql`INSERT INTO plain_runs SELECT id, 'queued', ${body}::json FROM generate_series(1, ${runs}::int) AS id`
    const step = (run: number, number: number) =>
      sql.withTransaction(
        Effect.andThen(
          sql`UPDATE plain_runs SET status = ${`step ${number}`}, doc = ${body}::json WHERE id = ${run}::int`,
          sql`INSERT INTO plain_events (run, type, body) VALUES (${run}::int, ${`step ${number}`}, ${body})`
        )
      )
    const drive = (run: number) =>
      Effect.forEach(
        Array.from({ length: steps }, (_, index) => index + 1),
        (number) => step(run, number),
        { discard: true }
      )
    const postgresBefore = yield* Effect.promise(() => PostgresUsage.cpuMicros(url))
    const cpu = process.cpuUsage()
    const startedAt = performance.now()
    yield* Effect.forEach(
      Array.from({ length: runs }, (_, index) => index + 1),
      drive,
      { concurrency: clients, discard: true }
    )
    const seconds = (performance.now() - startedAt) / 1000
    const { system, user } = process.cpuUsage(cpu)
    const postgresAfter = yield* Effect.promise(() => PostgresUsage.cpuMicros(url))
    const each: PlainSteps = {
      perSecond: runs / seconds,
      cpuMicrosEach: (user + system) / runs,
      postgresMicrosEach:
        postgresBefore === null || postgresAfter === null ? null : (postgresAfter - postgresBefore) / runs
    }
    return each
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

export const measure = (url: string, runs: number): Promise<PlainSteps> => Effect.runPromise(driving(url, runs))
