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

export type Environment = Readonly<Record<string, string>>

/** The file of the program, and the flags with which Node resolves its packages. */
export interface Program {
  readonly file: string
  readonly flags: ReadonlyArray<string>
}

const fileOf = (name: string) => fileURLToPath(new URL(`../../cli/${name}`, import.meta.url))

export const source: Program = { file: fileOf("src/main.ts"), flags: ["--conditions=@limbeck/source"] }

/** The files of the packs, which `npm run build` makes: the bundle, and the separate modules. */
export const packed: Program = { file: fileOf("dist/main.js"), flags: [] }
export const packedModules: Program = { file: fileOf("dist/Start.js"), flags: [] }

export interface Standalone {
  readonly pid: number
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

const holdWatch = fileURLToPath(new URL("./hold-watch.ts", import.meta.url))

/** The environment's `HOLD_WATCH` names the socket of `hold-watch.ts`. */
const flagsOf = ({ flags }: Program, environment: Environment): ReadonlyArray<string> =>
  environment["HOLD_WATCH"] === undefined ? flags : [...flags, `--import=${holdWatch}`]

const started = (
  dataDir: string,
  args: ReadonlyArray<string>,
  environment: Environment,
  program: Program
): ChildProcess =>
  spawn(process.execPath, [...flagsOf(program, environment), ...Child.serverFlags, program.file, "serve", ...args], {
    env: {
      PATH: process.env["PATH"],
      ...Child.serverEnvironment,
      STORAGE: "embedded",
      DATA_DIR: dataDir,
      XDG_CACHE_HOME: dataDir,
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
  environment: Environment = {},
  program = source
): Promise<A> => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-"))
  const child = started(folder, args, environment, program)
  const ended = once(child, "exit")
  try {
    const origin = await listening(child)
    const pid = child.pid! // It listens, so it was started.
    return await work({
      pid,
      origin,
      cpuMicros: () => processCpuMicros(pid),
      crewCpuMicros: () => crewCpuMicros(pid, program.file),
      takePeakBytes: () => takePeakBytes(pid),
      hasEnded: () => child.exitCode !== null || child.signalCode !== null
    })
  } finally {
    child.kill("SIGTERM")
    await ended
    await fs.rm(folder, { recursive: true, force: true })
  }
}
