/**
 * Requests per second and CPU per request of the control plane, on memory and on a durable Postgres, beside a bare node:http
 * server and a bare Postgres transaction measured in the same run.
 */
import * as os from "node:os"
import * as BareTransaction from "./BareTransaction.ts"
import * as Child from "./Child.ts"
import * as Load from "./Load.ts"
import * as Postgres from "./Postgres.ts"
import { prepareVersion } from "./Prepare.ts"
import { creation, get, headers } from "./Requests.ts"
import { type Row, ratio } from "./Row.ts"
import * as Table from "./Table.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 8)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 32)

const measure = async (
  name: string,
  child: Child.Child,
  load: Omit<Load.LoadOptions, "origin" | "clients" | "seconds">
) => {
  await Load.run({ ...load, origin: child.origin, clients, seconds: Math.min(2, seconds) })
  const { cpuMicros, done } = await Child.spending(child, () =>
    Load.run({ ...load, origin: child.origin, clients, seconds })
  )
  return { name, perSecond: done.perSecond, latency: done.latency, cpuMicrosEach: cpuMicros / done.requests }
}

const ours = async (label: string, databaseUrl: string): Promise<ReadonlyArray<Row>> => {
  // Idle workers: the measurement covers the request, not its run.
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

const print = (rows: ReadonlyArray<Row>, baseline: Row) =>
  Table.print(
    `\n${clients} clients, ${seconds} s each, durable commits, Node ${process.version}, ${os.cpus().length} cores for server, load and database`,
    ["operation", "per second", "p50 ms", "p99 ms", "CPU µs each", `rate / ${baseline.name}`],
    rows.map((row) => [
      row.name,
      Table.figure(row.perSecond),
      Table.figure(row.latency?.p50Millis, 2),
      Table.figure(row.latency?.p99Millis, 2),
      Table.figure(row.cpuMicrosEach),
      Table.figure(ratio(row, baseline), 2)
    ])
  )

export const main = async (): Promise<void> => {
  const http = await bare()
  const memory = await ours("memory", "")
  const postgres = await Postgres.use(async (url) => [
    ...(await ours("Postgres", url)),
    await BareTransaction.measure(url, { clients, seconds, rows: 1 })
  ])
  print([http, ...memory], http)
  print(postgres, postgres.at(-1) ?? http)
}
