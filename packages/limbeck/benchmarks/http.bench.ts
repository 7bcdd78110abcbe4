/**
 * Requests per second and CPU per request of the control plane, on memory and on a durable Postgres, beside a bare node:http
 * server and a bare Postgres transaction measured in the same run.
 */
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Child from "./Child.ts"
import * as Load from "./Load.ts"
import { prepareVersion } from "./Prepare.ts"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 8)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 32)

interface Row extends Load.Measured {
  readonly name: string
  readonly cpuMicrosEach: number
}

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }

const measure = async (
  name: string,
  child: Child.Child,
  load: Omit<Load.LoadOptions, "origin" | "clients" | "seconds">
) => {
  await Load.run({ ...load, origin: child.origin, clients, seconds: Math.min(2, seconds) })
  const before = await child.usage()
  const measured = await Load.run({ ...load, origin: child.origin, clients, seconds })
  const after = await child.usage()
  return { name, ...measured, cpuMicrosEach: (after.cpuMicros - before.cpuMicros) / measured.requests }
}

const get = (route: string) => ({
  request: () => ({ method: "GET" as const, path: route, headers }),
  expectedStatus: 200
})

/** Every creation has a key of its own, as a client's would. */
const creation = (body: string) => ({
  request: () => ({
    method: "POST" as const,
    path: "/v1/distill/runs",
    headers: { ...headers, "idempotency-key": randomUUID() },
    body
  }),
  expectedStatus: 201
})

const ours = async (label: string, databaseUrl: string): Promise<ReadonlyArray<Row>> => {
  // The workers are idle here: what is measured is the request, not the run it asks for.
  const preparing = await Child.start(new URL("serve.ts", import.meta.url), ["ours", databaseUrl, "workers"])
  const idle = await preparing.usage()
  const body = await prepareVersion(preparing.origin, headers)
  const child =
    databaseUrl === ""
      ? preparing
      : await Child.start(new URL("serve.ts", import.meta.url), ["ours", databaseUrl, "no"])
  if (child !== preparing) await preparing.stop()
  const rows = [
    await measure(`whoami, ${label}`, child, get("/v1/whoami")),
    await measure(`list events, ${label}`, child, get("/v1/events?limit=20")),
    await measure(`create run, ${label}`, child, creation(body))
  ]
  process.stdout.write(`idle ${label} server with all workers: ${Math.round(idle.rssBytes / 2 ** 20)} MiB resident\n`)
  await child.stop()
  return rows
}

const bare = async (): Promise<Row> => {
  const child = await Child.start(new URL("serve.ts", import.meta.url), ["bare"])
  const row = await measure("bare node:http", child, get("/"))
  await child.stop()
  return row
}

/** One insert per transaction over the same driver: the least that any durable write costs. */
const bareTransaction = Effect.fnUntraced(function* (url: string) {
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
  return {
    name: "bare Postgres transaction",
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50Millis: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Millis: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    cpuMicrosEach: (user + system) / sorted.length
  }
}, Effect.scoped)

const onPostgres = (dataDir: string) =>
  Effect.gen(function* () {
    const { url } = yield* EmbeddedPostgres.launch({ dataDir, durable: true })
    const rows = yield* Effect.promise(() => ours("Postgres", url))
    return [...rows, yield* bareTransaction(url)]
  }).pipe(Effect.scoped)

const print = (rows: ReadonlyArray<Row>, baseline: Row) =>
  Table.print(
    `\n${clients} clients, ${seconds} s each, durable commits, Node ${process.version}, ${os.cpus().length} cores for server, load and database`,
    ["operation", "per second", "p50 ms", "p99 ms", "CPU µs each", `rate / ${baseline.name}`],
    rows.map((row) => [
      row.name,
      row.perSecond.toFixed(0),
      row.p50Millis.toFixed(2),
      row.p99Millis.toFixed(2),
      row.cpuMicrosEach.toFixed(0),
      (row.perSecond / baseline.perSecond).toFixed(2)
    ])
  )

export const main = async (): Promise<void> => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-"))
  try {
    const http = await bare()
    const memory = await ours("memory", "")
    const postgres = await Effect.runPromise(Effect.provide(onPostgres(path.join(folder, "data")), Reactivity.layer))
    print([http, ...memory], http)
    print(postgres, postgres.at(-1) ?? http)
  } finally {
    await fs.rm(folder, { recursive: true, force: true })
  }
}
