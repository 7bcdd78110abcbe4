/**
 * Proxied calls per second, CPU per call and the latency that a gateway adds: ours, capturing every call into a journal and
 * a durable Postgres, beside a bare node:http pass-through and gateways of others that capture nothing.
 * Parts: `unary`, `streams`, `memory` (streams for BENCH_MINUTES), `traces` (what traces cost, by the share of calls), `dialects`
 * (chat completions beside responses and messages, and beside those of the checkout in BENCH_OTHER).
 */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { defaultSampleRatio } from "@limbeck/node/telemetry/Telemetry"
import { Collector } from "@limbeck/testing/telemetry/Collector"
import * as Child from "./Child.ts"
import * as DialectCosts from "./DialectCosts.ts"
import { frames, type GatewaySetup, load, ofOthers, ours, plain, start } from "./Gateways.ts"
import * as Postgres from "./Postgres.ts"
import * as Table from "./Table.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 10)
const minutes = Number(process.env["BENCH_MINUTES"] ?? 10)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 32)
const measure = async (way: GatewaySetup, stream: boolean) => {
  await load(way, clients, 3_000, stream)
  const alone = await load(way, 1, (seconds * 1_000) / 4, stream)
  const { cpuMicros, done } = await Child.spending(way.child, async () => {
    const measured = await load(way, clients, seconds * 1_000, stream)
    await way.settle?.()
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

const compare = async (title: string, stream: boolean, upstream: Child.Child, own: GatewaySetup) => {
  const direct = { name: "no gateway", child: upstream, ...plain }
  const bare = { name: "bare node:http", child: await start("gateway.ts", ["bare", upstream.origin]), ...plain }
  const others = await ofOthers(upstream)
  const results: Array<Result> = []
  for (const way of [direct, bare, ...others, own]) results.push(await measure(way, stream))
  await Promise.all([bare, ...others].map(({ child }) => child.stop()))
  print(title, results)
}

const turns = 12
const turnMillis = 1_500

/** In short turns, so that other load affects all alike; exports count as well. */
const traces = async (upstream: Child.Child, directory: string) => {
  const collector = await Collector.open()
  const rows: Array<ReadonlyArray<string>> = []
  await Postgres.use(async (url) => {
    const ways: Array<GatewaySetup> = []
    for (const ratio of [null, 0, defaultSampleRatio, 1]) {
      const traced = ratio === null ? undefined : { endpoint: collector.endpoint, ratio }
      const way = await ours(upstream, url, path.join(directory, `traces-${ratio}`), traced)
      await load(way, clients, 3_000, false)
      ways.push(way)
    }
    const before = await Promise.all(ways.map((way) => way.child.usage()))
    const calls = ways.map(() => 0)
    for (let turn = 0; turn < turns; turn++) {
      for (const [index, way] of ways.entries())
        calls[index] = (calls[index] ?? 0) + (await load(way, clients, turnMillis, false)).calls
    }
    await Promise.all(ways.map((way) => way.settle?.()))
    const after = await Promise.all(ways.map((way) => way.child.usage()))
    const spent = ways.map((_, at) => ((after[at]?.cpuMicros ?? 0) - (before[at]?.cpuMicros ?? 0)) / (calls[at] ?? 1))
    const [off = 1] = spent
    for (const [at, micros] of spent.entries()) {
      rows.push([ways[at]?.name ?? "", Table.figure(micros), `${Table.figure((micros / off - 1) * 100, 1)} %`])
    }
    for (const way of ways) await way.child.stop()
  })
  collector.close()
  Table.print("what traces cost", ["server", "CPU µs of a call", "more than without"], rows)
}

/** Resident memory, minute by minute. */
const soak = async (own: GatewaySetup) => {
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
  const upstream = await start("model.ts", [String(frames)])
  await Postgres.use(async (url) => {
    const own = await ours(upstream, url, directory)
    if (wanted("unary")) await compare(`\nunary: ${title}`, false, upstream, own)
    if (wanted("streams")) await compare(`\nstreams of ${frames} frames: ${title}`, true, upstream, own)
    if (wanted("memory")) await soak(own)
    await own.settle?.()
    await own.child.stop()
  })
  if (wanted("traces")) await traces(upstream, directory)
  if (wanted("dialects")) await DialectCosts.run({ upstream, directory, clients, turns, turnMillis })
  await upstream.stop()
  await fs.rm(directory, { recursive: true, force: true })
}
