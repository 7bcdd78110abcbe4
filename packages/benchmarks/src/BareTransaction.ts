/** The least that a durable write costs: one insert per transaction over the same driver. */
import { performance } from "node:perf_hooks"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Latency from "./Latency.ts"
import type { Row } from "./Row.ts"

interface Options {
  readonly clients: number
  readonly seconds: number
  /** Rows of one transaction. */
  readonly rows: number
}

const body = "x".repeat(1_000)

const inserting = Effect.fnUntraced(
  function* (url: string, { clients, rows, seconds }: Options) {
    const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 10 })
    yield* sql`CREATE TABLE IF NOT EXISTS bench_bare (id bigint GENERATED ALWAYS AS IDENTITY, body text)`
    const insert = sql.withTransaction(
      sql`INSERT INTO bench_bare (body) SELECT ${body} FROM generate_series(1, ${rows}::int)`
    )
    const millis: Array<number> = []
    const startedAt = performance.now()
    const loop = Effect.gen(function* () {
      while (performance.now() < startedAt + seconds * 1000) {
        const sentAt = performance.now()
        yield* insert
        millis.push(performance.now() - sentAt)
      }
    })
    const cpu = process.cpuUsage()
    yield* Effect.all(
      Array.from({ length: clients }, () => loop),
      { concurrency: "unbounded" }
    )
    const { system, user } = process.cpuUsage(cpu)
    const inserted = millis.length * rows
    const row: Row = {
      name: rows === 1 ? "bare Postgres transaction" : `bare Postgres rows, ${rows} per transaction`,
      perSecond: inserted / ((performance.now() - startedAt) / 1000),
      cpuMicrosEach: (user + system) / inserted,
      latency: Latency.of(millis)
    }
    return row
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

export const measure = (url: string, options: Options): Promise<Row> => Effect.runPromise(inserting(url, options))
