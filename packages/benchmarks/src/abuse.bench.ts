/**
 * What hostile input does to 200 normal requests a second (who am I, a list, a creation, a proxied call), and to the memory and
 * CPU of the server: the standalone one, on its embedded, durable Postgres. Four families, each beside a phase of the same run
 * without abuse. Parts: `queries`, `bodies`, `rows`, `calls`. The part `holds` sends the largest request of each kind to a server
 * of its own, and tells how long each holds the main thread. Everything stays on 127.0.0.1.
 */
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fetch } from "undici"
import * as AbuseHolds from "./AbuseHolds.ts"
import type { Command as Abuse, Name } from "./abuser.ts"
import * as Child from "./Child.ts"
import * as Standalone from "./Standalone.ts"
import type { Command as Load, SteadyLoad } from "./steady-load.ts"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 7)
const perSecond = 200
/** The permitted effect of a phase: the others' p99 at most this many times longer, and this much more memory. */
const goal = { ratio: 3, bytes: 100e6 }
/** Endless abuse is given up after this multiple of its time. */
const patience = 4

const families: Readonly<Record<Name, string>> = {
  queries: "60 KB of query names, no token",
  bodies: "40 × 15 MiB and 200 stalled, no token",
  rows: "heavy rows, versions and scores",
  calls: "calls that grow in storage"
}

const start = (file: string, args: ReadonlyArray<string>) => Child.start(new URL(file, import.meta.url), args)

interface Phase extends SteadyLoad {
  readonly seconds: number
  readonly cpuShare: number
  readonly peakBytes: number
  /** What the abuse was told. */
  readonly told: string
}

interface Bench {
  readonly server: Standalone.Standalone
  readonly load: Child.Child
}

/** Sends normal requests during `meanwhile`. */
const measure = async ({ load, server }: Bench, meanwhile: () => Promise<string>): Promise<Phase> => {
  const begin: Load = { kind: "begin", perSecond }
  const end: Load = { kind: "end" }
  await server.takePeakBytes()
  const [cpuBefore, startedAt] = [await server.cpuMicros(), performance.now()]
  await load.ask(begin)
  const told = await meanwhile()
  const steady = await load.ask<SteadyLoad>(end)
  const took = (performance.now() - startedAt) / 1_000
  const cpuShare = ((await server.cpuMicros()) - cpuBefore) / 1e6 / took
  return { ...steady, told, seconds: took, cpuShare, peakBytes: await server.takePeakBytes() }
}

const without = (bench: Bench) =>
  measure(bench, async () => {
    await sleep(seconds * 1_000)
    return ""
  })

/** In its own process, stopped with its pending work. */
const withAbuse = async (bench: Bench, family: Name): Promise<Phase> => {
  const abuser = await start("abuser.ts", [bench.server.origin])
  const command: Abuse = { family, seconds }
  const givenUp = sleep(seconds * 1_000 * patience, "it did not end in time", { ref: false })
  const phase = await measure(bench, () => Promise.race([abuser.ask<string>(command), givenUp]))
  await abuser.stop()
  return phase
}

const addSource = async (origin: string, upstream: string): Promise<void> => {
  const source = { name: "model", kind: "byok", base_url: `${upstream}/v1`, api_key: "sk-bench-key", default: true }
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const answer = await fetch(`${origin}/v1/sources`, { method: "POST", headers, body: JSON.stringify(source) })
  if (!answer.ok) throw new Error(`POST /v1/sources: ${answer.status} ${await answer.text()}`)
}

const failuresOf = ({ failures }: SteadyLoad): string =>
  Object.entries(failures)
    .map(([name, count]) => `${count} × ${name}`)
    .join(", ")

/** Beside the phase before it, and the memory of a server that has not been abused at all. */
const rowOf = (name: string, phase: Phase, before?: Phase, quietBytes = 0): ReadonlyArray<string> => [
  name,
  Table.figure(phase.seconds),
  Table.figure(phase.latency.p50Millis, 1),
  Table.figure(phase.latency.p99Millis, 1),
  Table.figure(phase.latency.maxMillis),
  before === undefined ? "" : Table.figure(phase.latency.p50Millis / before.latency.p50Millis, 1),
  before === undefined ? "" : Table.figure(phase.latency.p99Millis / before.latency.p99Millis, 1),
  Table.mebibytes(phase.peakBytes),
  before === undefined ? "" : Table.mebibytes(phase.peakBytes - quietBytes),
  Table.percent(phase.cpuShare),
  failuresOf(phase) || "0"
]

const header = [
  "phase",
  "s",
  "p50 ms",
  "p99 ms",
  "max ms",
  "p50 ratio",
  "p99 ratio",
  "peak RSS",
  "more",
  "CPU",
  "failed"
]

const compare = async (bench: Bench, names: ReadonlyArray<Name>) => {
  // What Node compiles and Postgres caches at first belongs to no phase.
  await without(bench)
  let quietBytes: number | undefined
  const rows: Array<ReadonlyArray<string>> = []
  const told: Array<ReadonlyArray<string>> = []
  for (const name of names) {
    const before = await without(bench)
    quietBytes ??= before.peakBytes
    const during = await withAbuse(bench, name)
    rows.push(rowOf("without", before), rowOf(families[name], during, before, quietBytes))
    told.push([families[name], during.told])
    if (bench.server.hasEnded()) throw new Error(`the server ended under ${name}`)
  }
  return { rows, told }
}

/** Maximum CPU milliseconds for which one request may block the main thread. */
const holdMillisMax = 50

/** `wanted`: a word of the names of those to measure; by default all. */
const measureHolds = async (wanted: string | undefined): Promise<void> => {
  const socket = path.join(os.tmpdir(), `limbeck-holds-${process.pid}.sock`)
  const work = ({ origin }: Standalone.Standalone) => AbuseHolds.measure(origin, socket, wanted)
  const { HOLD_PROFILE } = process.env
  const profile: Standalone.Environment = HOLD_PROFILE === undefined ? {} : { HOLD_PROFILE }
  const { holds, told } = await Standalone.use(work, [], { HOLD_WATCH: socket, ...profile })
  const rows = holds.map(({ millis, name }) => [name, Table.figure(millis), millis > holdMillisMax ? "too long" : ""])
  Table.print(
    `\nLongest hold of the main thread, in CPU time, Node ${process.version}; goal: at most ${holdMillisMax} ms`,
    ["request, sent three times", "ms", ""],
    rows
  )
  Table.print("What they were told", ["answers"], [[told]])
}

const measureFamilies = async (names: ReadonlyArray<Name>): Promise<void> => {
  const upstream = await start("model.ts", ["40"])
  await Standalone.use(async (server) => {
    await addSource(server.origin, upstream.origin)
    const load = await start("steady-load.ts", [server.origin])
    const { rows, told } = await compare({ server, load }, names)
    await load.stop()
    Table.print(
      `\n${perSecond} normal requests a second, ${seconds} s or more each, Node ${process.version}, ${os.cpus().length} cores for all; goal: p99 ratio at most ${goal.ratio}, ${goal.bytes / 1e6} MB more at most`,
      header,
      rows
    )
    Table.print("What the abuse was told", ["abuse", "answers"], told)
  })
  await upstream.stop()
}

export const main = async (parts: ReadonlyArray<string>): Promise<void> => {
  const isWanted = (part: string) => parts.length === 0 || parts.includes(part)
  const [, word] = parts[0] === "holds" ? parts : []
  if (isWanted("holds")) await measureHolds(word)
  // Its keys are names.
  const names = (Object.keys(families) as Array<Name>).filter(isWanted)
  if (names.length > 0) await measureFamilies(names)
}
