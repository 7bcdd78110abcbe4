/** The least that a durable write costs: one insert per transaction over the same driver. */
import { performance } from "node:perf_hooks"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Row } from "./Row.ts"

export const measure = Effect.fnUntraced(function* (
  url: string,
  { clients, seconds }: { readonly clients: number; readonly seconds: number }
) {
  const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 10 })
  yield* sql`CREATE TABLE IF NOT EXISTS bench_bare (id bigint GENERATED ALWAYS AS IDENTITY, body text)`
  const body = "x".repeat(1_000)
  const insert = sql.withTransaction(sql`INSERT INTO bench_bare (body) VALUES (${body})`)
  const latencies: Array<number> = []
  const endsAt = performance.now() + seconds * 1000
  const cpu = process.cpuUsage()
  const loop = Effect.gen(function* () {
    while (performance.now() < endsAt) {
      const startedAt = performance.now()
      yield* insert
      latencies.push(performance.now() - startedAt)
    }
  })
  yield* Effect.all(
    Array.from({ length: clients }, () => loop),
    { concurrency: "unbounded" }
  )
  const { system, user } = process.cpuUsage(cpu)
  const sorted = latencies.sort((a, b) => a - b)
  const row: Row = {
    name: "bare Postgres transaction",
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50Millis: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Millis: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    cpuMicrosEach: (user + system) / sorted.length
  }
  return row
}, Effect.scoped)
