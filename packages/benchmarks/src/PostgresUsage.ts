/** Postgres's work: its own counts of statements and commits, and Linux's CPU figures of its processes. */
import * as fs from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"

/** Required settings of the Postgres. */
export const settings = { shared_preload_libraries: "pg_stat_statements" }

const Statement = Schema.Struct({ text: Schema.String, calls: Schema.Int, millis: Schema.Finite })
export type Statement = typeof Statement.Type
const decodeStatements = Schema.decodeUnknownPromise(Schema.Array(Statement))
const decodeNumber = Schema.decodeUnknownPromise(Schema.Tuple([Schema.Struct({ number: Schema.Int })]))

/** Not counted itself. */
const query = (url: string, text: string): Promise<ReadonlyArray<unknown>> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.make({
      url: Redacted.make(url),
      startupParameters: { "pg_stat_statements.track": "none" }
    })
    return yield* sql.unsafe(text)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)

export const number = async (url: string, text: string): Promise<number> =>
  (await decodeNumber(await query(url, text)))[0].number

export const begin = async (url: string): Promise<void> => {
  await query(url, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
  await query(url, "SELECT pg_stat_statements_reset()")
}

/** Sessions tell their counts with a delay; those that have ended have told all. */
const tellingMillis = 1_500

/** Commits since the Postgres began, also of what only reads. */
export const commits = async (url: string): Promise<number> => {
  await sleep(tellingMillis)
  return number(url, "SELECT xact_commit::int AS number FROM pg_stat_database WHERE datname = current_database()")
}

/** Since `begin`, most called first. */
export const statements = async (url: string): Promise<ReadonlyArray<Statement>> =>
  decodeStatements(
    await query(
      url,
      `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, sum(calls)::int AS calls, sum(total_exec_time) AS millis
       FROM pg_stat_statements GROUP BY 1 ORDER BY calls DESC, text`
    )
  )

/** A tick is a hundredth of a second on every common Linux. */
const microsPerTick = 10_000

interface Stat {
  readonly parent: string
  readonly ownTicks: number
  readonly endedChildrenTicks: number
}

const statOf = async (pid: string): Promise<Stat | null> => {
  const text = await fs.readFile(`/proc/${pid}/stat`, "utf8").catch(() => null)
  if (text === null) return null
  // The name before this may hold spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const ticks = (from: number) => Number(fields[from]) + Number(fields[from + 1])
  return { parent: fields[1] ?? "", ownTicks: ticks(11), endedChildrenTicks: ticks(13) }
}

/** The CPU of all threads of a running process; needs `/proc`. */
export const processCpuMicros = async (pid: number): Promise<number> => {
  const stat = await statOf(String(pid))
  if (stat === null) throw new Error(`/proc has no process ${pid}`)
  return stat.ownTicks * microsPerTick
}

/** The memory of a running process; needs `/proc`. */
export const residentBytes = async (pid: number): Promise<number> => {
  const status = await fs.readFile(`/proc/${pid}/status`, "utf8")
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024
}

/** The memory of a running process, with its share of pages in common with others; needs `/proc`. */
export const proportionalBytes = async (pid: number): Promise<number> => {
  const sums = await fs.readFile(`/proc/${pid}/smaps_rollup`, "utf8")
  return Number(/^Pss:\s*(\d+) kB$/m.exec(sums)?.[1]) * 1024
}

/** The CPU of a process, and of its children with this argument, by process id. */
export const crewCpuMicros = async (pid: number, argument: string): Promise<ReadonlyMap<string, number>> => {
  const crew = new Map([[String(pid), await processCpuMicros(pid)]])
  for (const name of (await fs.readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const stat = await statOf(name)
    if (stat?.parent !== String(pid)) continue
    const line = await fs.readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "")
    if (line.split("\0").includes(argument)) crew.set(name, stat.ownTicks * microsPerTick)
  }
  return crew
}

/** The CPU of all Postgres processes since their start; null without `/proc`. */
export const cpuMicros = async (url: string): Promise<number | null> => {
  const child = await number(url, "SELECT pid AS number FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
  const main = (await statOf(String(child)))?.parent ?? ""
  const own = await statOf(main)
  if (own === null) return null
  const stats = await Promise.all((await fs.readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(statOf))
  const children = stats.filter((stat) => stat?.parent === main)
  const ticks = children.reduce((sum, stat) => sum + (stat?.ownTicks ?? 0), own.ownTicks + own.endedChildrenTicks)
  return ticks * microsPerTick
}
