/**
 * Requests per second and CPU per request of the control plane, on memory and on a durable Postgres, beside a bare node:http
 * server and a bare Postgres transaction measured in the same run.
 */
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as BareTransaction from "./BareTransaction.ts"
import * as Child from "./Child.ts"
import * as Load from "./Load.ts"
import { prepareVersion } from "./Prepare.ts"
import type { Row } from "./Row.ts"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 8)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 32)

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

const onPostgres = (dataDir: string) =>
  Effect.gen(function* () {
    const { url } = yield* EmbeddedPostgres.launch({ dataDir, durable: true })
    const rows = yield* Effect.promise(() => ours("Postgres", url))
    return [...rows, yield* BareTransaction.measure(url, { clients, seconds })]
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
