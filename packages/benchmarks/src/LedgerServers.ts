/** Two servers on one schema and one journal folder, killed and restarted repeatedly. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import * as Programs from "../../workshop/programs/Programs.ts"
import type { LedgerServerOptions, ServerMessage, TopUpCommand } from "./ledger-server.ts"

const program = await Programs.made(new URL("ledger-server.ts", import.meta.url))
const restMillis = 20

interface ServerProcess {
  readonly child: ChildProcess
  readonly origin: string
}

export class LedgerServers {
  private readonly options: LedgerServerOptions
  private readonly cache: string
  private readonly running: Array<ServerProcess | null> = [null, null]
  private readonly children = new Set<ChildProcess>()
  private commands = 0

  constructor(atEnd: AtEnd, options: LedgerServerOptions, cache: string) {
    this.options = options
    this.cache = cache
    atEnd(async () => {
      await Promise.all([...this.children].map((child) => this.end(child, "SIGKILL")))
    })
  }

  /** Starts the server of this place, and waits until it is ready. */
  async start(place: number): Promise<void> {
    const child = fork(program, [JSON.stringify(this.options)], {
      execArgv: ["--conditions=@limbeck/source"],
      env: { NODE_COMPILE_CACHE: this.cache, ...process.env },
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    this.children.add(child)
    child.setMaxListeners(0)
    const said: Array<string> = []
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => said.push(`${text}`))
    // Only a server writes here, and it writes this.
    const ready = once(child, "message").then(([first]) => first as Extract<ServerMessage, { origin: string }>)
    const death = once(child, "exit").then(() => Promise.reject(new Error(`It ended: ${said.join("")}`)))
    death.catch(() => {})
    const { origin } = await Promise.race([ready, death])
    this.running[place] = { child, origin }
  }

  /** kill -9. */
  async kill(place: number): Promise<void> {
    const found = this.running[place]
    this.running[place] = null
    if (found != null) await this.end(found.child, "SIGKILL")
  }

  async stop(): Promise<void> {
    await Promise.all([...this.children].map((child) => this.end(child, "SIGTERM")))
  }

  /** One that runs, from this place on; waits while there is none. */
  async at(place: number): Promise<ServerProcess> {
    for (;;) {
      const found = this.running[place % 2] ?? this.running[(place + 1) % 2]
      if (found != null) return found
      await sleep(restMillis)
    }
  }

  get origins(): ReadonlyArray<string> {
    return this.running.flatMap((server) => (server === null ? [] : [server.origin]))
  }

  /** Sends a server the command; returns whether it confirmed before its end. */
  async topUp(place: number, topUp: Omit<TopUpCommand, "id">): Promise<boolean> {
    const { child } = await this.at(place)
    const id = ++this.commands
    const isDone = new Promise<boolean>((resolve) => {
      const hear = (said: ServerMessage) => {
        if ("done" in said && said.done === id) resolve(true)
      }
      child.on("message", hear)
      child.once("exit", () => resolve(false))
      if (!child.connected) resolve(false)
      else child.send({ id, ...topUp }, (error) => error !== null && resolve(false))
    })
    return isDone
  }

  private async end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    this.children.delete(child)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill(signal)
    await ended
  }
}
