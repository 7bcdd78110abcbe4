/**
 * The extra cost of a shadow student: latency and CPU of calls answered by the upstream, with and without a builtin
 * student, in turns. The clients pause between calls, so that latency excludes a full queue.
 */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { fetch, Pool } from "undici"
import * as Child from "./Child.ts"
import * as Latency from "./Latency.ts"
import * as Postgres from "./Postgres.ts"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 5)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 4)
const pauseMillis = 5

type Fields = Readonly<Record<string, unknown>>

let keys = 0

const send = async (origin: string, method: string, route: string, body?: string): Promise<Fields> => {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": method === "PUT" ? "application/x-ndjson" : "application/json",
    "idempotency-key": `bench-${keys++}`
  }
  const response = await fetch(origin + route, { method, headers, ...(body === undefined ? {} : { body }) })
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Fields
}

const post = (origin: string, route: string, body: object) => send(origin, "POST", route, JSON.stringify(body))

const until = async (origin: string, route: string, status: string): Promise<Fields> => {
  for (let asked = 0; asked < 600; asked++) {
    const shown = await send(origin, "GET", route)
    if (shown["status"] === status) return shown
    await sleep(100)
  }
  throw new Error(`${route} never was ${status}`)
}

const topics = ["an invoice that is wrong", "a parcel that is late", "a password that is lost", "a cup that is broken"]
const contentOf = (row: number): string =>
  `Ticket ${row}: the customer writes about ${topics[row % 4]} and wants to know what happens next with it`
const rowOf = (row: number): string =>
  `${JSON.stringify({ messages: [{ role: "user", content: contentOf(row) }], completion: `topic_${row % 4}` })}\n`

/** A student that has read a thousand tickets. */
const trained = async (origin: string): Promise<unknown> => {
  const upload = await post(origin, "/v1/distill/uploads", { filename: "tickets.jsonl", format: "chat_jsonl" })
  const { pathname, search } = new URL(String(upload["upload_url"]))
  const rows = Array.from({ length: 1_000 }, (_, row) => rowOf(row)).join("")
  await send(origin, "PUT", pathname + search, rows)
  await until(origin, `/v1/distill/uploads/${upload["id"]}`, "succeeded")
  const dataset = await post(origin, "/v1/distill/datasets", { name: "tickets" })
  const from = { upload: upload["id"] }
  const version = await post(origin, `/v1/distill/datasets/${dataset["id"]}/versions`, { from })
  await until(origin, `/v1/distill/dataset_versions/${version["id"]}`, "ready")
  const stages = ["sft", "publish"].map((kind) => ({ kind, config: {} }))
  const run = await post(origin, "/v1/distill/runs", {
    dataset_version: version["id"],
    recipe: { student_model: "builtin/text-classifier", stages, rewards: [] },
    budget: { max_cost_usd: 1 },
    dry_run: false
  })
  const { student_model } = await until(origin, `/v1/distill/runs/${run["id"]}`, "succeeded")
  return student_model
}

const aliases = { alone: "without a student", shadow: "with one in shadow", student: "answered by it" } as const
type Alias = keyof typeof aliases

const deploy = async (origin: string, alias: Alias, student_model: unknown, fields: object): Promise<string> => {
  const fallback = { source: "model", model: "bench-model" }
  const body = { alias, student_model, fallback, mode: "active", guard: null, ...fields }
  const { id } = await post(origin, "/v1/distill/deployments", body)
  const route = `/v1/distill/deployments/${id}`
  await until(origin, route, "ready")
  return route
}

const load = async (origin: string, alias: Alias, millis: number): Promise<ReadonlyArray<number>> => {
  const pool = new Pool(origin, { connections: clients, pipelining: 1 })
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const latencies: Array<number> = []
  const endsAt = performance.now() + millis
  const client = async () => {
    while (performance.now() < endsAt) {
      const messages = [{ role: "user", content: contentOf(latencies.length) }]
      const body = JSON.stringify({ model: `svc:${alias}`, messages })
      const sentAt = performance.now()
      const answer = await pool.request({ method: "POST", path: "/v1/proxy/chat/completions", headers, body })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`${alias}: ${answer.statusCode} ${text}`)
      latencies.push(performance.now() - sentAt)
      await sleep(pauseMillis)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  await pool.close()
  return latencies
}

const compare = async (child: Child.Child, upstream: Child.Child) => {
  const { origin } = child
  const base_url = `${upstream.origin}/v1`
  await post(origin, "/v1/sources", { name: "model", kind: "byok", base_url, api_key: "sk-bench-key" })
  const student = await trained(origin)
  await deploy(origin, "alone", student, { traffic_percent: 0 })
  await deploy(origin, "student", student, {})
  const listening = await deploy(origin, "shadow", student, { mode: "shadow" })
  const measured = Object.keys(aliases).map((alias) => ({
    alias: alias as Alias, // Its keys are aliases.
    latencies: [] as Array<number>,
    cpuMicros: 0
  }))
  for (const { alias } of measured) await load(origin, alias, 2_000)
  for (let round = 0; round < rounds; round++) {
    for (const one of measured) {
      const { cpuMicros, done } = await Child.spending(child, () => load(origin, one.alias, seconds * 1_000))
      one.latencies.push(...done)
      one.cpuMicros += cpuMicros
    }
  }
  const { figures } = (await send(origin, "GET", listening)) as { readonly figures: Fields }
  return { measured, figures }
}

export const main = async (): Promise<void> => {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-journal-"))
  const upstream = await Child.start(new URL("model.ts", import.meta.url), ["40"])
  await Postgres.use(async (url) => {
    const args = ["ours", upstream.origin, url, directory]
    const child = await Child.start(new URL("gateway.ts", import.meta.url), args)
    const { figures, measured } = await compare(child, upstream)
    const rows = measured.map(({ alias, cpuMicros, latencies }) => {
      const { p50Millis, p99Millis } = Latency.of(latencies)
      const each = cpuMicros / latencies.length
      const cells = [latencies.length, each].map((value) => Table.figure(value))
      return [aliases[alias], ...cells, Table.figure(p50Millis, 2), Table.figure(p99Millis, 2)]
    })
    const title = `\n${clients} clients that pause ${pauseMillis} ms, ${rounds} rounds of ${seconds} s each, Node ${process.version}, ${os.cpus().length} cores`
    Table.print(title, ["calls", "number", "CPU µs each", "p50 ms", "p99 ms"], rows)
    process.stdout.write(`${figures["shadowed"]} copies were answered, and ${figures["compared"]} compared\n`)
    await child.stop()
  })
  await upstream.stop()
  await fs.rm(directory, { recursive: true, force: true })
}
