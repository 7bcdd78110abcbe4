/**
 * Proxied calls per second, CPU per call and the latency that a gateway adds: ours, capturing every call into a journal and
 * a durable Postgres, beside a bare node:http pass-through and a gateway from npm that captures nothing.
 * Parts: `unary`, `streams`, `memory` (streams for BENCH_MINUTES).
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

const seconds = Number(process.env["BENCH_SECONDS"] ?? 10)
const minutes = Number(process.env["BENCH_MINUTES"] ?? 10)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 32)
/** Frames of a stream, `[DONE]` among them. */
const frames = 40

type Headers = Readonly<Record<string, string>>

/** What is called, and how. */
interface Way {
  readonly name: string
  /** What it does afterwards is done. */
  readonly settled?: () => Promise<void>
  readonly child: Child.Child
  readonly path: string
  readonly headers: Headers
}

const messages = [
  { role: "system", content: "You sort support tickets into billing, shipping, account or other." },
  { role: "user", content: "I was charged twice for order 4711 and nobody answers my mails. ".repeat(5) }
]
const bodyOf = (stream: boolean): string =>
  JSON.stringify({ model: "bench-model", messages, ...(stream && { stream }) })

interface Measured {
  readonly calls: number
  readonly perSecond: number
  readonly latency: Latency.Latency
  readonly lostFrames: number
}

const load = async (way: Way, concurrency: number, millis: number, stream: boolean): Promise<Measured> => {
  const pool = new Pool(way.child.origin, { connections: concurrency, pipelining: 1 })
  const body = bodyOf(stream)
  const headers = { ...way.headers, "content-type": "application/json" }
  const latencies: Array<number> = []
  const startedAt = performance.now()
  let lostFrames = 0
  const client = async () => {
    while (performance.now() < startedAt + millis) {
      const sentAt = performance.now()
      const answer = await pool.request({ method: "POST", path: way.path, headers, body })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`${way.name}: ${answer.statusCode} ${text}`)
      latencies.push(performance.now() - sentAt)
      if (stream) lostFrames += frames - (text.split("data: ").length - 1)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  const took = (performance.now() - startedAt) / 1_000
  await pool.close()
  return { calls: latencies.length, perSecond: latencies.length / took, latency: Latency.of(latencies), lostFrames }
}

const measure = async (way: Way, stream: boolean) => {
  await load(way, clients, 3_000, stream)
  const alone = await load(way, 1, (seconds * 1_000) / 4, stream)
  const { cpuMicros, done } = await Child.spending(way.child, async () => {
    const measured = await load(way, clients, seconds * 1_000, stream)
    await way.settled?.()
    return measured
  })
  return { way, alone, done, cpuMicrosEach: cpuMicros / done.calls }
}

type Result = Awaited<ReturnType<typeof measure>>

const print = (title: string, results: ReadonlyArray<Result>) => {
  const [direct, bare] = results
  const rows = results.map(({ alone, cpuMicrosEach, done, way }) => [
    way.name,
    Table.figure(done.perSecond),
    Table.figure(cpuMicrosEach),
    Table.figure(done.perSecond / (bare?.done.perSecond ?? 1), 2),
    Table.figure(done.latency.p50Millis, 2),
    Table.figure(done.latency.p99Millis, 2),
    Table.figure(alone.latency.p50Millis - (direct?.alone.latency.p50Millis ?? 0), 2),
    Table.figure(done.lostFrames + alone.lostFrames)
  ])
  const header = [
    "gateway",
    "per second",
    "CPU µs each",
    "rate / bare",
    "p50 ms",
    "p99 ms",
    "added p50 ms, 1 client",
    "lost frames"
  ]
  Table.print(title, header, rows)
}

const call = async (way: Way, method: string, route: string, body?: object): Promise<Record<string, unknown>> => {
  const response = await fetch(way.child.origin + route, {
    method,
    headers: { ...way.headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

const started = (file: string, args: ReadonlyArray<string>) => Child.start(new URL(file, import.meta.url), args)

/** All that was called is stored. */
const settled = async (child: Child.Child): Promise<void> => {
  for (let asked = 0; asked < 1_200; asked++) {
    const health = await fetch(`${child.origin}/healthz`).then((response) => response.json())
    const { dropped, waiting } = (health as { capture: { dropped: number; waiting: number } }).capture
    if (dropped > 0) throw new Error(`${dropped} calls were dropped`)
    if (waiting === 0) return
    await sleep(50)
  }
  throw new Error("not all calls were stored within a minute")
}

/** Ours, with a source that leads to the upstream. */
const ours = async (upstream: Child.Child, databaseUrl: string, directory: string): Promise<Way> => {
  const child = await started("gateway.ts", ["ours", upstream.origin, databaseUrl, directory])
  const headers = { authorization: `Bearer ${token}` }
  const path = "/v1/proxy/chat/completions"
  const way = { name: "limbeck, capturing", child, path, headers, settled: () => settled(child) }
  const base_url = `${upstream.origin}/v1`
  await call(way, "POST", "/v1/sources", {
    name: "model",
    kind: "byok",
    base_url,
    api_key: "sk-bench-key",
    default: true
  })
  return way
}

const fromNpm = async (upstream: Child.Child): Promise<Way> => {
  const host = `${upstream.origin}/v1`
  const headers = {
    authorization: "Bearer sk-bench-key",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": host
  }
  const child = await started("gateway.ts", ["portkey"])
  return { name: "@portkey-ai/gateway 1.15.2", child, path: "/v1/chat/completions", headers }
}

const plain = { path: "/v1/chat/completions", headers: {} }

const compare = async (title: string, stream: boolean, upstream: Child.Child, own: Way) => {
  const direct = { name: "no gateway", child: upstream, ...plain }
  const bare = { name: "bare node:http", child: await started("gateway.ts", ["bare", upstream.origin]), ...plain }
  const npm = await fromNpm(upstream)
  const results: Array<Result> = []
  for (const way of [direct, bare, npm, own]) results.push(await measure(way, stream))
  await Promise.all([bare.child.stop(), npm.child.stop()])
  print(title, results)
}

/** Resident memory, minute by minute. */
const soak = async (own: Way) => {
  const rows: Array<ReadonlyArray<string>> = []
  for (let minute = 1; minute <= minutes; minute++) {
    const { lostFrames, perSecond } = await load(own, clients, 60_000, true)
    const { rssBytes } = await own.child.usage()
    rows.push([String(minute), Table.figure(perSecond), Table.mebibytes(rssBytes), Table.figure(lostFrames)])
  }
  Table.print("streams, minute by minute", ["minute", "streams per second", "resident", "lost frames"], rows)
}

export const main = async (parts: ReadonlyArray<string>): Promise<void> => {
  const wanted = (part: string) => parts.length === 0 || parts.includes(part)
  const title = `${clients} clients, ${seconds} s each, durable commits, Node ${process.version}, ${os.cpus().length} cores for load, upstream, gateway and database`
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-journal-"))
  const upstream = await started("model.ts", [String(frames)])
  await Postgres.use(async (url) => {
    const own = await ours(upstream, url, directory)
    if (wanted("unary")) await compare(`\nunary: ${title}`, false, upstream, own)
    if (wanted("streams")) await compare(`\nstreams of ${frames} frames: ${title}`, true, upstream, own)
    if (wanted("memory")) await soak(own)
    await own.settled?.()
    await own.child.stop()
  })
  await upstream.stop()
  await fs.rm(directory, { recursive: true, force: true })
}
