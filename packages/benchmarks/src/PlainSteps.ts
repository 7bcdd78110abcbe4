/** Five hand-written steps of a run: each is a transaction that updates the run's row and stores an event. */
import { performance } from "node:perf_hooks"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as PostgresUsage from "./PostgresUsage.ts"

export interface PlainSteps {
  readonly perSecond: number
  /** Of this process, and of Postgres where the system provides it. */
  readonly cpuMicrosEach: number
  readonly postgresMicrosEach: number | null
}

export const steps = 5
export const clients = 8
/** About what an event of ours holds. */
export const body = JSON.stringify({ object: "x".repeat(1_500) })

export const createTables = [
  "CREATE TABLE plain_runs (id int PRIMARY KEY, status text NOT NULL, doc json NOT NULL)",
  "CREATE TABLE plain_events (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run int, type text, body text)"
]
/** $1: what each holds; $2: how many. */
export const createRuns = "INSERT INTO plain_runs SELECT id, 'queued', $1::json FROM generate_series(1, $2::int) AS id"
/** $1: the run; $2: the step; $3: what it holds. */
export const changeRun = "UPDATE plain_runs SET status = $2, doc = $3::json WHERE id = $1::int"
export const storeEvent = "INSERT INTO plain_events (run, type, body) VALUES ($1::int, $2, $3)"

const driving = Effect.fnUntraced(
  function* (url: string, runs: number) {
    const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: clients })
    for (const statement of createTables) yield* sql.unsafe(statement)
    yield* sql.unsafe(createRuns, [body, runs])
    const step = (run: number, number: number) =>
      sql.withTransaction(
        Effect.andThen(
          sql.unsafe(changeRun, [run, `step ${number}`, body]),
          sql.unsafe(storeEvent, [run, `step ${number}`, body])
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
