/**
 * What several processes on one port bring: captured unary calls of `limbeck serve`, by one process and by one for each core,
 * in turns, with what the machine had left meanwhile. Load, upstream and database share its cores, so that on few of them the rates
 * say little: what is compared too is the CPU of a call. A process does as many calls a second as fit into a second of its core; the
 * one that is busiest with its share of the calls is the bound of all.
 */
import * as os from "node:os"
import { fetch } from "undici"
import * as Child from "./Child.ts"
import * as Load from "./Load.ts"
import * as Standalone from "./Standalone.ts"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 15)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 32)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
const body = JSON.stringify({
  model: "bench-model",
  messages: [{ role: "user", content: "I was charged twice. ".repeat(20) }]
})

/** Of all cores, the share of their time that nobody used, since it was asked the last time. */
const idleShare = () => {
  const timesOf = () =>
    os.cpus().reduce(
      (sum, { times }) => ({
        idle: sum.idle + times.idle,
        all: sum.all + Object.values(times).reduce((some, one) => some + one, 0)
      }),
      { idle: 0, all: 0 }
    )
  const before = timesOf()
  return () => {
    const after = timesOf()
    return (after.idle - before.idle) / (after.all - before.all)
  }
}

interface Measured {
  readonly perSecond: number
  readonly p99Millis: number
  readonly idle: number
  /** Of all processes that serve, and of the busiest of them, for each call of all. */
  readonly cpuMicrosEach: number
  readonly busiestMicrosEach: number
}

/** What each process spent since. */
const spentSince = async (server: Standalone.Standalone, before: ReadonlyMap<string, number>) =>
  [...(await server.crewCpuMicros())].map(([pid, micros]) => micros - (before.get(pid) ?? 0))

const measure = (upstream: Child.Child, processes: string): Promise<Measured> =>
  Standalone.use(
    async (server) => {
      const { origin } = server
      const source = {
        name: "model",
        kind: "byok",
        base_url: `${upstream.origin}/v1`,
        api_key: "sk-bench-key",
        default: true
      }
      const made = await fetch(`${origin}/v1/sources`, { method: "POST", headers, body: JSON.stringify(source) })
      if (!made.ok) throw new Error(`${made.status} ${await made.text()}`)
      const load = (forSeconds: number) =>
        Load.run({
          origin,
          clients,
          seconds: forSeconds,
          request: () => ({ method: "POST", path: "/v1/proxy/chat/completions", headers, body }),
          expectedStatus: 200
        })
      await load(Math.min(5, seconds))
      const idleSince = idleShare()
      const before = await server.crewCpuMicros()
      const { latency, perSecond, requests } = await load(seconds)
      const spent = await spentSince(server, before)
      return {
        perSecond,
        p99Millis: latency.p99Millis,
        idle: idleSince(),
        cpuMicrosEach: spent.reduce((sum, micros) => sum + micros, 0) / requests,
        busiestMicrosEach: Math.max(...spent) / requests
      }
    },
    ["--processes", processes]
  )

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export const main = async (): Promise<void> => {
  const upstream = await Child.start(new URL("model.ts", import.meta.url), ["40"])
  const [one, auto]: [Array<Measured>, Array<Measured>] = [[], []]
  for (let round = 0; round < rounds; round++) {
    one.push(await measure(upstream, "1"))
    auto.push(await measure(upstream, "auto"))
  }
  await upstream.stop()
  const rates = (measured: ReadonlyArray<Measured>) => measured.map(({ perSecond }) => perSecond)
  const row = (name: string, measured: ReadonlyArray<Measured>, ratio: string, bound: string, asked: string) => [
    name,
    Table.figure(median(rates(measured))),
    rates(measured)
      .map((rate) => Table.figure(rate))
      .join(" "),
    Table.figure(median(measured.map(({ p99Millis }) => p99Millis)), 1),
    Table.percent(median(measured.map(({ idle }) => idle))),
    Table.figure(median(measured.map(({ cpuMicrosEach }) => cpuMicrosEach))),
    Table.figure(median(measured.map(({ busiestMicrosEach }) => busiestMicrosEach))),
    ratio,
    bound,
    asked
  ]
  const ratio = median(auto.map(({ perSecond }, round) => perSecond / (one[round]?.perSecond ?? 1)))
  const bound = median(
    auto.map(({ busiestMicrosEach }, round) => (one[round]?.busiestMicrosEach ?? 1) / busiestMicrosEach)
  )
  Table.print(
    `\ncaptured unary calls, ${clients} clients, ${rounds} rounds of ${seconds} s in turns, Node ${process.version}, ${os.cpus().length} cores for load, upstream, servers and database, load ${Table.figure(os.loadavg()[0], 1)}`,
    [
      ...["processes", "per second", "rounds", "p99 ms", "machine idle", "CPU µs each", "of the busiest"],
      ...["ratio", "on cores of their own", "asked"]
    ],
    [row("1", one, "", "", ""), row("auto", auto, Table.figure(ratio, 2), Table.figure(bound, 2), "≥ 1.7")]
  )
}
