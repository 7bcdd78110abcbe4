/** The measuring machine, and the share of its time taken by others. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as PostgresUsage from "./PostgresUsage.ts"

export interface Machine {
  readonly node: string
  /** As Postgres numbers it: 180001 is 18.1. */
  readonly postgres: number
  /** The commit of this repository; empty where there is none. */
  readonly commit: string
  readonly processor: string
  readonly cores: number
  readonly memoryMebibytes: number
}

const commit = (): string => {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8", stdio: "pipe" }).trim()
  } catch {
    return ""
  }
}

export const describe = async (url: string): Promise<Machine> => ({
  node: process.version,
  postgres: await PostgresUsage.number(url, "SELECT current_setting('server_version_num')::int AS number"),
  commit: commit(),
  processor: os.cpus()[0]?.model ?? "",
  cores: os.cpus().length,
  memoryMebibytes: Math.round(os.totalmem() / 2 ** 20)
})

/** Ticks of all processors, and stolen ones; null without `/proc`. */
const ticks = async (): Promise<readonly [all: number, stolen: number] | null> => {
  const text = await fs.readFile("/proc/stat", "utf8").catch(() => null)
  if (text === null) return null
  // user, nice, system, idle, iowait, irq, softirq, steal
  const fields = (text.split("\n")[0] ?? "").trim().split(/\s+/).slice(1, 9).map(Number)
  return [fields.reduce((sum, value) => sum + value, 0), fields[7] ?? 0]
}

/** The stolen share of all processors' time during `work`. */
export const stealing = async <A>(work: () => Promise<A>) => {
  const before = await ticks()
  const done = await work()
  const after = await ticks()
  const steal = before === null || after === null ? null : (after[1] - before[1]) / (after[0] - before[0])
  return { done, steal }
}
