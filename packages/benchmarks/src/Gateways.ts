/** The measured gateways, their load, and the results. */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { fetch, Pool } from "undici"
import * as Child from "./Child.ts"
import * as Ferro from "./Ferro.ts"
import * as Latency from "./Latency.ts"
import * as Peers from "./Peers.ts"
import { token } from "./Token.ts"

/** Frames of a stream, `[DONE]` among them. */
export const frames = 40

const portkey: Peers.Peer = { from: "npm", name: "@portkey-ai/gateway", version: "1.15.2" }

type Headers = Readonly<Record<string, string>>

/** What is called, and how. */
export interface GatewaySetup {
  readonly name: string
  /** What it does afterwards is done. */
  readonly settle?: () => Promise<void>
  readonly child: Child.Subject
  readonly path: string
  readonly headers: Headers
  /** A chat completion by default. */
  readonly body?: string
}

const messages = [
  { role: "system", content: "You sort support tickets into billing, shipping, account or other." },
  { role: "user", content: "I was charged twice for order 4711 and nobody answers my mails. ".repeat(5) }
]
/** One that every gateway knows. */
export const model = "gpt-4o"
const bodyOf = (stream: boolean): string => JSON.stringify({ model, messages, ...(stream && { stream }) })

export interface Measurement {
  readonly calls: number
  readonly perSecond: number
  readonly latency: Latency.Latency
  readonly lostFrames: number
}

export const load = async (
  way: GatewaySetup,
  concurrency: number,
  millis: number,
  stream: boolean
): Promise<Measurement> => {
  const pool = new Pool(way.child.origin, { connections: concurrency, pipelining: 1 })
  const body = way.body ?? bodyOf(stream)
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

const call = async (
  way: GatewaySetup,
  method: string,
  route: string,
  body?: object
): Promise<Record<string, unknown>> => {
  const response = await fetch(way.child.origin + route, {
    method,
    headers: { ...way.headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

export const start = (file: string, args: ReadonlyArray<string>) => Child.start(new URL(file, import.meta.url), args)

/** All that was called is stored. */
const awaitStored = async (child: Child.Subject): Promise<void> => {
  for (let asked = 0; asked < 1_200; asked++) {
    const health = await fetch(`${child.origin}/healthz`).then((response) => response.json())
    const { dropped, waiting } = (health as { capture: { dropped: number; waiting: number } }).capture
    if (dropped > 0) throw new Error(`${dropped} calls were dropped`)
    if (waiting === 0) return
    await sleep(50)
  }
  throw new Error("not all calls were stored within a minute")
}

/** A collector of traces, and the traced share of calls. */
export interface TracedSample {
  readonly endpoint: string
  readonly ratio: number
}

const ownProgram = new URL("gateway.ts", import.meta.url)

/** Ours, with a source that leads to the upstream. `program`: the gateway's file of another checkout. */
export const ours = async (
  upstream: Child.Child,
  databaseUrl: string,
  directory: string,
  traced?: TracedSample,
  program = ownProgram
): Promise<GatewaySetup> => {
  const telemetry = traced === undefined ? [] : [traced.endpoint, String(traced.ratio)]
  const child = await Child.start(program, ["ours", upstream.origin, databaseUrl, directory, ...telemetry])
  const headers = { authorization: `Bearer ${token}` }
  const path = "/v1/proxy/chat/completions"
  const name = traced === undefined ? "limbeck, capturing" : `limbeck, tracing ${traced.ratio}`
  const way = { name, child, path, headers, settle: () => awaitStored(child) }
  const base_url = `${upstream.origin}/v1`
  await call(way, "POST", "/v1/sources", {
    name: `model-${traced?.ratio ?? "plain"}`,
    kind: "byok",
    base_url,
    api_key: "sk-bench-key",
    default: true
  })
  return way
}

/** The same server, asked the same in the other dialects that calls come in. */
export const otherDialects = async (way: GatewaySetup, upstream: Child.Child): Promise<ReadonlyArray<GatewaySetup>> => {
  const base_url = `${upstream.origin}/v1`
  const source = { name: "claude", kind: "byok", dialect: "anthropic", base_url, api_key: "sk-bench-key" }
  await call(way, "POST", "/v1/sources", source)
  const [system, user] = messages
  return [
    { ...way, name: "responses", path: "/v1/proxy/responses", body: JSON.stringify({ model, input: messages }) },
    {
      ...way,
      name: "messages",
      path: "/v1/proxy/messages",
      headers: { ...way.headers, "x-service-source": source.name },
      body: JSON.stringify({ model, max_tokens: 1_024, system: system?.content, messages: [user] })
    }
  ]
}

/** Those of others, that keep nothing; without any that is not here and cannot be installed. */
export const ofOthers = async (upstream: Child.Child): Promise<ReadonlyArray<GatewaySetup>> =>
  (await Promise.all([ferro(upstream), portkeyOf(upstream)])).filter((way) => way !== null)

const ferro = async (upstream: Child.Child): Promise<GatewaySetup | null> => {
  const child = await Ferro.start(upstream.origin)
  return child === null ? null : { name: Ferro.name, child, ...plain }
}

const portkeyOf = async (upstream: Child.Child): Promise<GatewaySetup | null> => {
  const program = await Peers.find(portkey, "build/start-server.js")
  if (program === null) return null
  const host = `${upstream.origin}/v1`
  const headers = {
    authorization: "Bearer sk-bench-key",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": host
  }
  const child = await start("gateway.ts", ["portkey", program])
  return { name: Peers.nameOf(portkey), child, path: "/v1/chat/completions", headers }
}

export const plain = { path: "/v1/chat/completions", headers: {} }
