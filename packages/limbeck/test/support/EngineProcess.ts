// The test and the engines share a machine, and so a clock.
// @effect-diagnostics globalDate:off
/** Engines as separate processes: started, commanded, frozen, and killed. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { Signal } from "@limbeck/testing/Signal"
import * as Programs from "../../../workshop/programs/Programs.ts"
import type { Command, EngineOptions, Report } from "../fixtures/Engine.ts"

const program = await Programs.made(new URL("../fixtures/Engine.ts", import.meta.url))

export class EngineProcess {
  readonly brand: string
  /** What it logged. */
  readonly said: Array<string> = []
  /** Rings at each line of its log. */
  readonly changes = new Signal()
  /** Ids of its known committed events. */
  readonly published: Array<string> = []
  /** When it was killed; null while nobody has. */
  killedAt: number | null = null
  readonly ready: Promise<this>
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #done: () => void = () => {}

  constructor(options: EngineOptions) {
    this.brand = options.brand
    this.#child = fork(program, [JSON.stringify(options)], {
      execArgv: ["--conditions=@limbeck/source"],
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    for (const name of ["stdout", "stderr"] as const) {
      createInterface({ input: this.#child[name]! }).on("line", (line) => {
        this.said.push(line)
        this.changes.ring()
      })
    }
    this.#ended = once(this.#child, "exit")
    const ready = new Promise<this>((resolve) => {
      // Only an engine writes here, and it writes this.
      this.#child.on("message", (report: Report) => {
        if (report.kind === "ready") resolve(this)
        if (report.kind === "done") this.#done()
        if (report.kind === "published") this.published.push(...report.events)
      })
    })
    const death = this.#ended.then(() => {
      if (this.killedAt !== null) return this
      throw new Error(`An engine ended by itself:\n${this.said.join("\n")}`)
    })
    this.ready = Promise.race([ready, death])
    death.catch(() => {})
  }

  get isAlive(): boolean {
    return this.killedAt === null && this.#child.exitCode === null
  }

  /** Ends when it has done so. */
  async tell(command: Command): Promise<void> {
    const done = new Promise<void>((resolve) => {
      this.#done = resolve
    })
    this.#child.send(command)
    if (command.kind !== "load") await done
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** kill -9. */
  async kill(): Promise<void> {
    if (!this.isAlive) return
    this.killedAt = Date.now()
    this.#child.kill("SIGKILL")
    await this.#ended
  }
}

/** The engines of one test; survivors are killed at its end. */
export class Engines {
  readonly all: Array<EngineProcess> = []
  readonly #schema: string
  readonly #offsetsSeconds: ReadonlyArray<number>

  constructor(atEnd: AtEnd, schema: string, offsetsSeconds: ReadonlyArray<number>) {
    this.#schema = schema
    this.#offsetsSeconds = offsetsSeconds
    atEnd(async () => {
      await Promise.all(this.all.map((engine) => engine.kill()))
    })
  }

  /** One more, ready. */
  start(): Promise<EngineProcess> {
    const options = {
      url,
      schema: this.#schema,
      brand: `Engine${this.all.length}`,
      offsetsSeconds: this.#offsetsSeconds
    }
    const engine = new EngineProcess(options)
    this.all.push(engine)
    return engine.ready
  }

  killedAt(brand: string): number | null {
    return this.all.find((engine) => engine.brand === brand)?.killedAt ?? null
  }
}
