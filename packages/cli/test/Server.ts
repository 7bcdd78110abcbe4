/** The real standalone server as a child process: started, killed, stopped and started again over the same data. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { allocatorVariables, nodeFlags } from "@limbeck/node/ProcessFlags"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { Signal } from "@limbeck/testing/Signal"
import * as Programs from "../../workshop/programs/Programs.ts"

/** The started file; it appears in the command line of each process of the server. */
export const main = await Programs.made(new URL("../src/main.ts", import.meta.url))

const inheritedNames = [
  ...["PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ"],
  ...["NODE_COMPILE_CACHE", Programs.folderVariable]
]

export type Environment = Readonly<Record<string, string>>

/** The environment variables that every process of a test inherits. Settings of Limbeck are left out. */
export const inherited = (): Environment =>
  Object.fromEntries(
    inheritedNames.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )

const serve: ReadonlyArray<string> = ["serve"]

const run = (environment: Environment, command: ReadonlyArray<string>, program: string): ChildProcess =>
  // With these flags and variables a server has no reason to replace itself, which is the subject of processFlags.test.ts.
  spawn(process.execPath, [...nodeFlags, "--conditions=@limbeck/source", program, ...command], {
    env: {
      ...inherited(),
      ...allocatorVariables,
      PORT: "0",
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })

export const testToken = "svc_test_0123456789abcdefghijklmnopqrstuv"
export const liveToken = "svc_live_0123456789abcdefghijklmnopqrstuv"

/** Two known tokens, and no features beside the test's subject. */
export const quiet: Environment = {
  BOOTSTRAP_LIVE_TOKEN: liveToken,
  BOOTSTRAP_TEST_TOKEN: testToken,
  RATE_LIMIT: "off",
  LOG_LEVEL: "warn",
  LOG_FORMAT: "json"
}

export interface ServerResult {
  readonly code: number | null
  readonly stdout: ReadonlyArray<string>
  readonly stderr: ReadonlyArray<string>
}

/** A running server, or one that ends by itself. */
class ServerProcess {
  readonly child: ChildProcess
  readonly stdout: Array<string> = []
  readonly stderr: Array<string> = []
  /** Rings at each line. */
  readonly changes = new Signal()
  readonly ended: Promise<ServerResult>

  constructor(environment: Environment, command = serve, program = main) {
    this.child = run(environment, command, program)
    for (const name of ["stdout", "stderr"] as const) {
      createInterface({ input: this.child[name]! }).on("line", (line) => {
        this[name].push(line)
        this.changes.ring()
      })
    }
    this.ended = once(this.child, "close").then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }))
  }

  /** The origin in the server's startup message. */
  async listening(): Promise<string> {
    const origin = new Promise<string>((resolve) => {
      createInterface({ input: this.child.stdout! }).on("line", (line) => {
        const said = /^Limbeck listens on (http\S+)$/.exec(line)?.[1]
        if (said !== undefined) resolve(said)
      })
    })
    const death = this.ended.then((end) => {
      throw new Error(`The server ended before it listened: ${JSON.stringify(end)}`)
    })
    return Promise.race([origin, death])
  }
}

/** Another command of the program, which runs until stopped. */
export const startCommand = (atEnd: AtEnd, environment: Environment, command: ReadonlyArray<string>) => {
  const running = new ServerProcess(environment, command)
  atEnd(() => void running.child.kill("SIGKILL"))
  return running
}

/** Runs a server that is expected to end by itself, or another command of the program. */
export const runToEnd = (environment: Environment, command = serve): Promise<ServerResult> =>
  new ServerProcess(environment, command).ended

/** One server over one set of data, with at most one process at a time. */
export class Server {
  readonly #environment: Environment
  readonly #command: ReadonlyArray<string>
  readonly #program: string
  #running: ServerProcess | undefined
  #origin = ""

  /** `program`: the file of another version's. */
  constructor(atEnd: AtEnd, environment: Environment, command = serve, program = main) {
    this.#environment = environment
    this.#command = command
    this.#program = program
    atEnd(() => this.kill())
  }

  /** The origin of the current process, or of the last. */
  get origin(): string {
    return this.#origin
  }

  get pid(): number {
    return this.#now.child.pid!
  }

  /** What the process that runs now, or ran last, wrote to standard output. */
  get said(): ReadonlyArray<string> {
    return this.#now.stdout
  }

  get #now(): ServerProcess {
    if (this.#running === undefined) throw new Error("The server was never started")
    return this.#running
  }

  async start(): Promise<this> {
    this.#running = new ServerProcess(this.#environment, this.#command, this.#program)
    this.#origin = await this.#running.listening()
    return this
  }

  signal(name: NodeJS.Signals): void {
    this.#now.child.kill(name)
  }

  /** kill -9; does nothing to a server that does not run. */
  async kill(): Promise<void> {
    this.#running?.child.kill("SIGKILL")
    await this.#running?.ended
  }

  /** Asks it to stop, and waits for its end. */
  async stop(): Promise<ServerResult> {
    this.signal("SIGTERM")
    return this.#now.ended
  }

  get ended(): Promise<ServerResult> {
    return this.#now.ended
  }
}
