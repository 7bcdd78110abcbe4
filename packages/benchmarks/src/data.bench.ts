/**
 * Captured calls to a ready version, on a durable Postgres: how long, what each row costs the process and the database, and
 * whether the process' memory stays as it is; beside a bare `COPY` of the same bodies. Then the version is read, in order.
 */
import * as os from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import * as BareCopy from "./BareCopy.ts"
import * as Child from "./Child.ts"
import type { Command, VersionTimes } from "./data-engine.ts"
import * as Postgres from "./Postgres.ts"
import * as PostgresUsage from "./PostgresUsage.ts"
import * as Table from "./Table.ts"

const total = Number(process.env["BENCH_ROWS"] ?? 1_000_000)
const engine = new URL("data-engine.ts", import.meta.url)
const sampleMillis = 200

const stored = `SELECT coalesce(sum(n_tup_ins), 0)::int AS number FROM pg_stat_all_tables
  WHERE schemaname = 'limbeck' AND relname = 'dataset_rows'`
const bodies = "SELECT body FROM limbeck.dataset_rows"
const bytes = `SELECT avg(octet_length(body))::int AS number FROM limbeck.dataset_rows`

/** In its own process, so that its leftover memory is not measured. */
const fill = async (url: string): Promise<void> => {
  const child = await Child.start(engine, [url])
  const command: Command = { kind: "fill", calls: total }
  await child.ask(command)
  await child.stop()
}

interface Sample {
  readonly rows: number
  readonly rssBytes: number
}

/** Samples memory by number of rows, until stopped. */
const sample = (url: string, child: Child.Child) => {
  const samples: Array<Sample> = []
  let isOver = false
  const sampling = (async () => {
    while (!isOver) {
      const rows = await PostgresUsage.number(url, stored)
      samples.push({ rows, rssBytes: (await child.usage()).rssBytes })
      await sleep(sampleMillis)
    }
  })()
  return async (): Promise<ReadonlyArray<Sample>> => {
    isOver = true
    await sampling
    return samples
  }
}

const rssAt = (samples: ReadonlyArray<Sample>, share: number): string => {
  const met = samples.find(({ rows }) => rows >= total * share) ?? samples.at(-1)
  return Table.figure((met?.rssBytes ?? 0) / 2 ** 20)
}

/** A command's time, and its CPU in the process and in Postgres. */
const performed = async <A>(url: string, child: Child.Child, command: Command) => {
  const before = await PostgresUsage.cpuMicros(url)
  const startedAt = performance.now()
  const { cpuMicros, done } = await Child.spending(child, () => child.ask<A>(command))
  const seconds = (performance.now() - startedAt) / 1000
  const after = await PostgresUsage.cpuMicros(url)
  return { cpuMicros, done, postgresMicros: after === null || before === null ? null : after - before, seconds }
}

const buildOn = async (url: string) => {
  const child = await Child.start(engine, [url], Child.serverFlags, Child.serverEnvironment)
  const idleBytes = (await child.usage()).rssBytes
  const stop = sample(url, child)
  const build = await performed<VersionTimes>(url, child, { kind: "build" })
  const samples = await stop()
  const { rows, status, version } = build.done
  if (status !== "ready" || rows !== total) throw new Error(`the version is ${status}, ${rows} rows`)
  const read = await performed<number>(url, child, { kind: "read", version })
  if (read.done !== total) throw new Error(`the version has ${read.done} rows`)
  await child.stop()
  return { build, read, idleBytes, samples }
}

export const main = (): Promise<void> =>
  Postgres.use(async (url) => {
    await fill(url)
    const { build, idleBytes, read, samples } = await buildOn(url)
    const { cpuMicros, postgresMicros, seconds } = build
    const bare = await BareCopy.measure(url, bodies)
    const perRow = (micros: number | null) => Table.figure(micros === null ? null : micros / total, 1)
    const peak = Math.max(...samples.map(({ rssBytes }) => rssBytes))
    Table.print(
      `\n${total} captured calls to a ready version, rows of ${await PostgresUsage.number(url, bytes)} bytes, durable commits, Node ${process.version}, ${os.cpus().length} cores for engine and database, load ${Table.figure(os.loadavg()[0], 1)}`,
      ["what", "value", "asked"],
      [
        ["seconds to ready", Table.figure(seconds, 1), total === 1_000_000 ? "≤ 60" : ""],
        ["rows per second", Table.figure(total / seconds), ""],
        ["engine's CPU µs per row", perRow(cpuMicros), ""],
        ["Postgres' CPU µs per row", perRow(postgresMicros), ""],
        [
          "engine's RSS MiB idle, at 10, 50, 100 % of the rows",
          [Table.figure(idleBytes / 2 ** 20), ...[0.1, 0.5, 1].map((share) => rssAt(samples, share))].join(" "),
          "flat"
        ],
        ["engine's RSS MiB, most", Table.figure(peak / 2 ** 20), ""],
        ["rows per second of a bare COPY", Table.figure(total / bare.seconds), ""],
        ["its CPU µs per row", perRow(bare.cpuMicros), ""],
        ["of a bare COPY", Table.figure(bare.seconds / seconds, 3), ""],
        ["rows per second read in order", Table.figure(total / read.seconds), ""],
        ["engine's CPU µs per row read", perRow(read.cpuMicros), ""],
        ["Postgres' CPU µs per row read", perRow(read.postgresMicros), ""]
      ]
    )
  })
