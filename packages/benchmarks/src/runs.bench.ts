/**
 * Runs with instant stubs, on a durable Postgres: five-stage runs per second, whether the rate holds, and each run's cost
 * in the process, the database, statements and transactions; beside bare transactions on the same machine, and beside
 * hand-written runs of five steps.
 */
import * as os from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import * as BareTransaction from "./BareTransaction.ts"
import * as Child from "./Child.ts"
import { unfinishedRuns } from "./FiveSteps.ts"
import * as PlainSteps from "./PlainSteps.ts"
import * as Postgres from "./Postgres.ts"
import * as PostgresUsage from "./PostgresUsage.ts"
import type { Command } from "./runs-engine.ts"
import * as Table from "./Table.ts"

const total = Number(process.env["BENCH_RUNS"] ?? 5_000)
/** With 20,000 runs, compares the last 5,000 with the first. */
const windows = 4

const endedOf = async (url: string) => total - (await PostgresUsage.number(url, unfinishedRuns))

interface Quarter {
  readonly perSecond: number
  /** Of engine and Postgres. */
  readonly cpuMicrosEach: number
}

/** Each quarter of the runs by itself. */
const watch = async (url: string, engine: Child.Child): Promise<ReadonlyArray<Quarter>> => {
  const quarters: Array<Quarter> = []
  const stateOf = async () => ({
    ended: await endedOf(url),
    at: performance.now(),
    cpuMicros: (await engine.usage()).cpuMicros + ((await PostgresUsage.cpuMicros(url)) ?? Number.NaN)
  })
  let last = await stateOf()
  while (last.ended < total) {
    await sleep(500)
    const ended = await endedOf(url)
    if (ended < total && ended - last.ended < total / windows) continue
    const now = await stateOf()
    const runs = now.ended - last.ended
    quarters.push({
      perSecond: runs / ((now.at - last.at) / 1000),
      cpuMicrosEach: (now.cpuMicros - last.cpuMicros) / runs
    })
    last = now
  }
  return quarters
}

const lastToFirst = (values: ReadonlyArray<number>) => Table.figure((values.at(-1) ?? 0) / (values[0] ?? 1), 2)

const printStatements = (statements: ReadonlyArray<PostgresUsage.Statement>) =>
  Table.print(
    "\nstatements of a run",
    ["statement", "calls", "ms in Postgres"],
    statements
      .filter(({ calls }) => calls >= total / 100)
      .map(({ calls, millis, text }) => [
        text.trim().slice(0, 100),
        Table.figure(calls / total, 2),
        Table.figure(millis / total, 3)
      ])
  )

export const main = (): Promise<void> =>
  Postgres.use(async (url) => {
    const bare = await BareTransaction.measure(url, { clients: 64, seconds: 3, rows: 1 })
    const plain = await PlainSteps.measure(url, Math.min(total, 3_000))
    const engine = await Child.start(new URL("runs-engine.ts", import.meta.url), [url])
    const perform = (command: Command) => engine.ask(command)
    const creation = performance.now()
    await perform({ kind: "create", runs: total })
    const createdPerSecond = total / ((performance.now() - creation) / 1000)
    await PostgresUsage.begin(url)
    const commitsBefore = await PostgresUsage.commits(url)
    const postgresBefore = await PostgresUsage.cpuMicros(url)
    const startedAt = performance.now()
    const { cpuMicros, done: quarters } = await Child.spending(engine, async () => {
      await perform({ kind: "work" })
      return await watch(url, engine)
    })
    const perSecond = total / ((performance.now() - startedAt) / 1000)
    const postgresAfter = await PostgresUsage.cpuMicros(url)
    const statements = await PostgresUsage.statements(url)
    await engine.stop()
    const commits = (await PostgresUsage.commits(url)) - commitsBefore
    const all = statements.reduce((sum, { calls }) => sum + calls, 0)
    const postgresCpu = postgresAfter === null || postgresBefore === null ? 0 : postgresAfter - postgresBefore
    const plainCpu = plain.cpuMicrosEach + (plain.postgresMicrosEach ?? 0)
    const rates = quarters.map(({ perSecond }) => perSecond)
    const costs = quarters.map(({ cpuMicrosEach }) => cpuMicrosEach)
    const perRun = (value: number) => Table.figure(value / total, 1)
    Table.print(
      `\n${total} runs of five stages, durable commits, Node ${process.version}, ${os.cpus().length} cores for engine and database, load ${Table.figure(os.loadavg()[0], 1)}`,
      ["what", "value", "asked"],
      [
        ["runs per second", Table.figure(perSecond), "≥ 300"],
        ["in quarters of the runs", rates.map((rate) => Table.figure(rate)).join(" "), "flat"],
        ["CPU µs per run with Postgres, in quarters", costs.map((cost) => Table.figure(cost)).join(" "), "flat"],
        ["last quarter to first: rate, CPU", `${lastToFirst(rates)} ${lastToFirst(costs)}`, "≥ 0.9, ≤ 1.1"],
        ["by hand, per second", Table.figure(plain.perSecond), ""],
        [
          "by hand, CPU µs per run: process, Postgres",
          `${Table.figure(plain.cpuMicrosEach)} ${Table.figure(plain.postgresMicrosEach)}`,
          ""
        ],
        ["CPU with Postgres, × by hand", Table.figure((cpuMicros + postgresCpu) / total / plainCpu, 2), "≤ 2.5"],
        ["of a bare transaction", Table.figure(perSecond / (bare.perSecond ?? 1), 3), ""],
        ["bare transactions per second", Table.figure(bare.perSecond), ""],
        ["engine's CPU µs per run", perRun(cpuMicros), ""],
        ["Postgres' CPU µs per run", perRun(postgresCpu), ""],
        ["transactions per run, with those that only read", perRun(commits), "≤ 3"],
        ["statements per run, without BEGIN and COMMIT", perRun(all), ""],
        ["creations per second, before", Table.figure(createdPerSecond), ""]
      ]
    )
    printStatements(statements)
  }, PostgresUsage.settings)
