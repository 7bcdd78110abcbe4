/**
 * The standalone server like `npm start`, on an embedded, durable Postgres, in its own process. Its memory and CPU are read
 * from `/proc`, without affecting the measurement. Linux only.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Child from "./Child.ts"
import { crewCpuMicros, processCpuMicros } from "./PostgresUsage.ts"
import { token } from "./Token.ts"

const main = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url))

export type Environment = Readonly<Record<string, string>>

export interface Standalone {
  readonly origin: string
  readonly cpuMicros: () => Promise<number>
  /** Of each process that serves. */
  readonly crewCpuMicros: () => Promise<ReadonlyMap<string, number>>
  /** The most resident memory since this was called the last time. */
  readonly takePeakBytes: () => Promise<number>
  readonly hasEnded: () => boolean
}

const listening = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
    // Its standard output is a pipe.
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const origin = /^Limbeck listens on (http\S+)$/.exec(line)?.[1]
      if (origin !== undefined) resolve(origin)
    })
  })

/** `VmHWM` is the most since 5 was written to `clear_refs`, in KiB (proc(5)). */
const takePeakBytes = async (pid: number): Promise<number> => {
  const status = await fs.readFile(`/proc/${pid}/status`, "utf8")
  await fs.writeFile(`/proc/${pid}/clear_refs`, "5")
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024
}

const conditions = "--conditions=@limbeck/source"
const holdWatch = fileURLToPath(new URL("./hold-watch.ts", import.meta.url))

/** The environment's `HOLD_WATCH` names the socket of `hold-watch.ts`. */
const flagsOf = (environment: Environment): ReadonlyArray<string> =>
  environment["HOLD_WATCH"] === undefined ? [conditions] : [conditions, `--import=${holdWatch}`]

const started = (dataDir: string, args: ReadonlyArray<string>, environment: Environment): ChildProcess =>
  spawn(process.execPath, [...flagsOf(environment), ...Child.serverFlags, main, "serve", ...args], {
    env: {
      PATH: process.env["PATH"],
      ...Child.serverEnvironment,
      STORAGE: "embedded",
      DATA_DIR: dataDir,
      PORT: "0",
      BOOTSTRAP_LIVE_TOKEN: token,
      RATE_LIMIT: "off",
      EGRESS_ALLOW: "127.0.0.0/8",
      LOG_LEVEL: "error",
      ...environment
    },
    stdio: ["ignore", "pipe", process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit"]
  })

/** `args`: what follows `limbeck serve`; `environment`: more settings. */
export const use = async <A>(
  work: (server: Standalone) => Promise<A>,
  args: ReadonlyArray<string> = [],
  environment: Environment = {}
): Promise<A> => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-"))
  const child = started(folder, args, environment)
  const ended = once(child, "exit")
  try {
    const origin = await listening(child)
    const pid = child.pid! // It listens, so it was started.
    return await work({
      origin,
      cpuMicros: () => processCpuMicros(pid),
      crewCpuMicros: () => crewCpuMicros(pid, main),
      takePeakBytes: () => takePeakBytes(pid),
      hasEnded: () => child.exitCode !== null || child.signalCode !== null
    })
  } finally {
    child.kill("SIGTERM")
    await ended
    await fs.rm(folder, { recursive: true, force: true })
  }
}
