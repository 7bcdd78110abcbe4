/**
 * The effect of several processes on one port: captured unary calls of `limbeck serve`, by one process and by one per core,
 * and a bare pass-through likewise, in turns. Load, upstream and database share the processes' cores, so that rates mean
 * little with few cores: the CPU of a call is compared as well. A process serves as many calls as fit into its core's
 * second; the busiest process bounds the total. A bare call's extra cost in several processes is the machine's: shared
 * caches, and waiting turns.
 *
 * V8 compiles in each process anew, for some seconds of its core. All are warmed up before: otherwise several would be
 * charged for each one's compilation.
 */
import * as os from "node:os"
import { fetch } from "undici"
import * as Child from "./Child.ts"
import * as Load from "./Load.ts"
import * as Standalone from "./Standalone.ts"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 10)
const clients = Number(process.env["BENCH_CLIENTS"] ?? 32)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
/** Warm-up calls per process; V8 compiles little after these. */
const warmCalls = Number(process.env["BENCH_WARM_CALLS"] ?? 15_000)

const cores = os.availableParallelism()
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
const body = JSON.stringify({
  model: "bench-model",
  messages: [{ role: "user", content: "I was charged twice. ".repeat(20) }]
})

/** The idle share of all cores' time since the previous call. */
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

/** The responding processes, and their CPU. */
interface Subject {
  readonly name: string
  readonly processes: number
  readonly origin: string
  readonly path: string
  readonly cpuMicros: () => Promise<ReadonlyMap<string, number>>
}

interface Measurement {
  readonly perSecond: number
  readonly p99Millis: number
  readonly idle: number
  /** CPU of all serving processes, and of the busiest, per call of all. */
  readonly cpuMicrosEach: number
  readonly busiestMicrosEach: number
}

const load = ({ origin, path }: Subject, forSeconds: number) =>
  Load.run({
    origin,
    clients,
    seconds: forSeconds,
    request: () => ({ method: "POST", path, headers, body }),
    expectedStatus: 200
  })

const warm = async (subject: Subject): Promise<void> => {
  for (let left = warmCalls * subject.processes; left > 0; ) left -= (await load(subject, 2)).requests
}

const measure = async (subject: Subject): Promise<Measurement> => {
  const idleSince = idleShare()
  const before = await subject.cpuMicros()
  const { latency, perSecond, requests } = await load(subject, seconds)
  const spent = [...(await subject.cpuMicros())].map(([pid, micros]) => micros - (before.get(pid) ?? 0))
  return {
    perSecond,
    p99Millis: latency.p99Millis,
    idle: idleSince(),
    cpuMicrosEach: spent.reduce((sum, micros) => sum + micros, 0) / requests,
    busiestMicrosEach: Math.max(...spent) / requests
  }
}

type Use = (work: (subject: Subject) => Promise<void>) => Promise<void>

const ours =
  (upstream: string, processes: number): Use =>
  (work) =>
    Standalone.use(
      async ({ crewCpuMicros, origin }) => {
        const source = {
          name: "model",
          kind: "byok",
          base_url: `${upstream}/v1`,
          api_key: "sk-bench-key",
          default: true
        }
        const made = await fetch(`${origin}/v1/sources`, { method: "POST", headers, body: JSON.stringify(source) })
        if (!made.ok) throw new Error(`${made.status} ${await made.text()}`)
        await work({
          name: "limbeck",
          processes,
          origin,
          path: "/v1/proxy/chat/completions",
          cpuMicros: crewCpuMicros
        })
      },
      ["--processes", String(processes)]
    )

const bare =
  (upstream: string, processes: number): Use =>
  async (work) => {
    const child = await Child.start(new URL("pass-throughs.ts", import.meta.url), [upstream, String(processes)])
    const cpuMicros = async () => new Map(await child.ask<ReadonlyArray<[string, number]>>({ kind: "crew" }))
    const path = "/v1/chat/completions"
    await work({ name: "bare pass-through", processes, origin: child.origin, path, cpuMicros })
    await child.stop()
  }

/** Has all of them at once. */
const useAll = (
  [first, ...others]: ReadonlyArray<Use>,
  work: (subjects: ReadonlyArray<Subject>) => Promise<void>
): Promise<void> =>
  first === undefined ? work([]) : first((subject) => useAll(others, (subjects) => work([subject, ...subjects])))

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

type Results = ReadonlyMap<Subject, Array<Measurement>>

/** `alone`: what the same did in one process, in the same rounds. */
const row = ({ name, processes }: Subject, all: ReadonlyArray<Measurement>, alone: ReadonlyArray<Measurement>) => {
  const rates = all.map(({ perSecond }) => perSecond)
  const compared = (of: (measured: Measurement, one: Measurement) => number) =>
    processes === 1
      ? ""
      : Table.figure(
          median(all.flatMap((measured, round) => alone.slice(round, round + 1).map((one) => of(measured, one)))),
          2
        )
  return [
    name,
    String(processes),
    Table.figure(median(rates)),
    rates.map((rate) => Table.figure(rate)).join(" "),
    Table.figure(median(all.map(({ p99Millis }) => p99Millis)), 1),
    Table.percent(median(all.map(({ idle }) => idle))),
    Table.figure(median(all.map(({ cpuMicrosEach }) => cpuMicrosEach))),
    compared((measured, one) => measured.cpuMicrosEach / one.cpuMicrosEach),
    compared((measured, one) => measured.perSecond / one.perSecond),
    compared((measured, one) => one.busiestMicrosEach / measured.busiestMicrosEach),
    name === "limbeck" && processes > 1 ? "≥ 1.7" : ""
  ]
}

const report = (results: Results): void => {
  const rows = [...results].map(([subject, all]) => {
    const [, alone = []] = [...results].find(([{ name, processes }]) => name === subject.name && processes === 1) ?? []
    return row(subject, all, alone)
  })
  Table.print(
    `\ncaptured unary calls, ${clients} clients, ${rounds} rounds of ${seconds} s in turns, after ${warmCalls} calls to each process, Node ${process.version}, ${os.cpus().length} cores for load, upstream, servers and database, load ${Table.figure(os.loadavg()[0], 1)}`,
    [
      ...["", "processes", "per second", "rounds", "p99 ms", "machine idle", "CPU µs each", "of one process"],
      ...["ratio", "on cores of their own", "asked"]
    ],
    rows
  )
}

export const main = async (): Promise<void> => {
  const upstream = await Child.start(new URL("model.ts", import.meta.url), ["40"])
  const { origin } = upstream
  await useAll([bare(origin, 1), bare(origin, cores), ours(origin, 1), ours(origin, cores)], async (subjects) => {
    for (const subject of subjects) await warm(subject)
    const results = new Map(subjects.map((subject) => [subject, [] as Measurement[]]))
    for (let round = 0; round < rounds; round++) {
      const inTurn = round % 2 === 0 ? subjects : subjects.toReversed()
      for (const subject of inTurn) results.get(subject)?.push(await measure(subject))
    }
    report(results)
  })
  await upstream.stop()
}
