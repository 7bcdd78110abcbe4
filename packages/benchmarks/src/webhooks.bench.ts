/**
 * The webhook engine on a durable Postgres with a receiver on the same machine: ingest, sustained deliveries and their CPU,
 * how soon after its commit an event arrives, and what an idle engine asks; beside a bare undici loop and a bare Postgres
 * insert of the same run.
 */
import * as os from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import * as BareTransaction from "./BareTransaction.ts"
import * as Child from "./Child.ts"
import type { Workers } from "./engine.ts"
import * as Feed from "./Feed.ts"
import * as Idle from "./Idle.ts"
import * as Load from "./Load.ts"
import * as Publisher from "./Publisher.ts"
import * as Punctual from "./Punctual.ts"
import { type Row, ratio } from "./Row.ts"
import * as Stage from "./Stage.ts"
import * as Table from "./Table.ts"
import * as Windows from "./Windows.ts"

/** Of the sustained deliveries; everything else takes a part of it. */
const seconds = Number(process.env["BENCH_SECONDS"] ?? 60)
const part = seconds / 6
const warmUp = Math.min(3, part)
/** Endpoints that want each event. */
const endpoints = 10

/** A row, its baseline, and its goal. */
interface Line extends Row {
  readonly bare?: Row
  readonly asked?: string
}

const ingest = async (engine: Stage.Engine, bare: Row, batch: number, asked: string): Promise<Line> => {
  const load = { batch, publishers: batch === 1 ? 64 : 4, perSecond: null }
  await engine.publish({ ...load, seconds: warmUp })
  const { cpuMicros, done } = await Child.spending(engine, () => engine.publish({ ...load, seconds: part }))
  return {
    name: `events in, ${batch} per transaction`,
    perSecond: done.published / done.seconds,
    cpuMicrosEach: cpuMicros / done.published,
    latency: null,
    bare,
    asked
  }
}

const ingesting = (): Promise<ReadonlyArray<Line>> =>
  Stage.use(async ({ start, url }) => {
    const one = await BareTransaction.measure(url, { clients: 64, seconds: part, rows: 1 })
    const hundred = await BareTransaction.measure(url, { clients: 4, seconds: part, rows: 100 })
    const engine = await start("none")
    const alone = [await ingest(engine, one, 1, "≥ 4000"), await ingest(engine, hundred, 100, "≥ 40000")]
    await engine.subscribe("ok", 1)
    const delivered = [await ingest(engine, one, 1, ""), await ingest(engine, hundred, 100, "")]
    const named = delivered.map((line) => ({ ...line, name: `${line.name}, a delivery each` }))
    return [one, hundred, ...alone, ...named]
  })

const bareLoop = async (): Promise<Row> => {
  const receiver = await Child.start(new URL("receiver.ts", import.meta.url), [])
  const cpu = process.cpuUsage()
  const { latency, perSecond, requests } = await Load.run({
    origin: receiver.origin,
    clients: 64,
    seconds: part,
    request: () => ({ method: "POST", path: "/bare", body: "x".repeat(600) }),
    expectedStatus: 200
  })
  const { system, user } = process.cpuUsage(cpu)
  await receiver.stop()
  return { name: "bare undici loop", perSecond, latency, cpuMicrosEach: (user + system) / requests }
}

interface SustainedRate {
  readonly line: Line
  readonly rates: ReadonlyArray<number>
  /** Resident memory of the engine, at the start and at the end. */
  readonly rssBytes: readonly [number, number]
  readonly leastWaiting: number
}

/** Events in one helping; each is for all endpoints. */
const helping = 1_000

/** Another process publishes, so that work is always due and the engine's CPU is its own. */
const sustained = (bare: Row): Promise<SustainedRate> =>
  Stage.use(async ({ count, start }) => {
    const publisher = await start("none")
    await publisher.subscribe("ok", endpoints)
    let published = 0
    const add = async () => {
      await publisher.fill({ types: [Publisher.tick], events: helping })
      published += helping * endpoints
    }
    await add()
    const engine = await start("webhooks")
    const waiting = async () => published - (await count("ok"))
    const feed = Feed.keep({ least: helping * endpoints, waiting, add })
    await sleep(warmUp * 1000)
    const [first, before] = [await engine.usage(), await count("ok")]
    const rates = await Windows.watch(() => count("ok"), { windows: 6, seconds })
    const [last, sent] = [await engine.usage(), (await count("ok")) - before]
    const line: Line = {
      name: "deliveries sustained",
      perSecond: rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
      cpuMicrosEach: (last.cpuMicros - first.cpuMicros) / sent,
      latency: null,
      bare,
      asked: "≥ 5000, ≤ 150 µs"
    }
    return { line, rates, rssBytes: [first.rssBytes, last.rssBytes], leastWaiting: await feed.stop() }
  })

/** At 1,000 deliveries per second, `fanout` of each event; the engine publishes too. */
const paced = (fanout: number, bare: Row): Promise<ReadonlyArray<Line>> =>
  Stage.use(async (stage) => {
    const engine = await stage.start("webhooks")
    const types = Array.from({ length: endpoints / fanout }, (_, group) => `bench.group_${group}`)
    for (const type of types) await engine.subscribe("ok", fanout, [type])
    const { ages, cpuMicrosEach, perSecond } = await Punctual.measure(stage, {
      engine,
      way: "ok",
      fanout,
      types,
      perSecond: 1_000,
      warmUpSeconds: warmUp,
      seconds: part * 2
    })
    const timed = (name: string, latency: Row["latency"], asked = ""): Line => ({
      name: `  ${name}`,
      perSecond: null,
      cpuMicrosEach: null,
      latency,
      asked
    })
    return [
      {
        name: `deliveries and ${1_000 / fanout} publications per second`,
        perSecond,
        cpuMicrosEach,
        latency: null,
        bare
      },
      timed("commit to first byte", ages.fromCommit, "p99 ≤ 25 ms"),
      timed("creation to first byte", ages.fromCreation),
      timed("publish", ages.publishing)
    ]
  })

const print = (lines: ReadonlyArray<Line>) =>
  Table.print(
    `\ndurable commits, Node ${process.version}, ${os.cpus().length} cores for engine, receiver, publisher and database`,
    ["operation", "per second", "/ bare", "CPU µs each", "p50 ms", "p99 ms", "max ms", "asked"],
    lines.map((line) => [
      line.name,
      Table.figure(line.perSecond),
      Table.figure(ratio(line, line.bare), 2),
      Table.figure(line.cpuMicrosEach),
      Table.figure(line.latency?.p50Millis, 1),
      Table.figure(line.latency?.p99Millis, 1),
      Table.figure(line.latency?.maxMillis, 1),
      line.asked ?? ""
    ])
  )

const printSustained = ({ leastWaiting, rates, rssBytes: [first, last] }: SustainedRate) =>
  Table.print(
    `\nsustained for ${seconds} s`,
    ["what", "value", "asked"],
    [
      [`per second in windows of ${Table.figure(part, 1)} s`, rates.map((rate) => Table.figure(rate)).join(" "), ""],
      ["decay, first to last window", Table.percent(Windows.decay(rates)), "< 10 %"],
      ["engine's memory, start and end", `${Table.mebibytes(first)}, ${Table.mebibytes(last)}`, ""],
      ["least that was due at any look", String(leastWaiting), "> 0"]
    ]
  )

const idle = async (name: string, workers: Workers, asked: string): Promise<void> => {
  const idleSeconds = Math.max(10, part * 2)
  const { cpuMicrosPerSecond, rssBytes, statements } = await Idle.measure(workers, idleSeconds)
  const calls = statements.reduce((sum, statement) => sum + statement.calls, 0)
  const each = (count: number) => Table.figure((count * 5) / idleSeconds, 1)
  Table.print(
    `\nidle for ${idleSeconds} s, ${name}: ${Table.figure(cpuMicrosPerSecond)} µs CPU per second, ${Table.mebibytes(rssBytes)} resident`,
    ["statement", "per 5 s", "asked"],
    [["all", each(calls), asked], ...statements.map(({ calls, text }) => [text.trim().slice(0, 90), each(calls), ""])]
  )
}

/** The parts, by the names that may follow the benchmark's. */
const parts = {
  ingest: async () => print(await ingesting()),
  sustained: async () => {
    const bare = await bareLoop()
    const held = await sustained(bare)
    print([bare, held.line])
    printSustained(held)
  },
  paced: async () => {
    const bare = await bareLoop()
    print([bare, ...(await paced(endpoints, bare)), ...(await paced(1, bare))])
  },
  idle: async () => {
    await idle("webhooks alone", "webhooks", "≤ 1")
    await idle("all workers of a server", "all", "")
  }
}

export const main = async (names: ReadonlyArray<string>): Promise<void> => {
  for (const [name, run] of Object.entries(parts)) if (names.length === 0 || names.includes(name)) await run()
}
