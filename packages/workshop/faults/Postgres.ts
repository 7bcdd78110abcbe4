/** A durable Postgres that a fault can take away and bring back, always at the same URL. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import pg from "pg"

export class Postgres {
  readonly url: string
  readonly #dataDir: string
  readonly #socketDir: string
  #scope: Scope.Closeable | undefined

  /** `folder`: for the link to its socket, which is in another place after each start. */
  constructor(atEnd: AtEnd, folder: string, dataDir: string) {
    this.#dataDir = dataDir
    this.#socketDir = path.join(folder, "socket")
    this.url = `postgres:///postgres?host=${encodeURIComponent(this.#socketDir)}&port=5432&user=postgres`
    atEnd(() => this.stop())
  }

  async start(): Promise<this> {
    const scope = await Effect.runPromise(Scope.make())
    this.#scope = scope
    const launched = EmbeddedPostgres.launch({ dataDir: this.#dataDir, durable: true })
    const { host } = await Effect.runPromise(Scope.provide(launched, scope))
    await fs.rm(this.#socketDir, { force: true })
    await fs.symlink(host, this.#socketDir)
    return this
  }

  /** Connections are cut, transactions are rolled back. */
  async stop(): Promise<void> {
    const scope = this.#scope
    this.#scope = undefined
    if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  async query(text: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> {
    const client = await this.session()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  /** A connection of the fault's own, for what must stay open. */
  async session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url })
    // It may be cut on purpose.
    client.on("error", () => {})
    await client.connect()
    return client
  }

  /** Started again if it does not take connections: it may have given up. */
  async revive(): Promise<void> {
    const takes = () =>
      this.query("SELECT 1").then(
        () => true,
        () => undefined
      )
    await eventually("Postgres takes connections", takes, 10_000).catch(async () => {
      await this.stop()
      await this.start()
    })
  }

  /** Of its main process and all others. */
  async pids(): Promise<ReadonlyArray<number>> {
    const main = await fs.readFile(path.join(this.#dataDir, "data", "postmaster.pid"), "utf8")
    const others = await this.query("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    return [Number(main.split("\n")[0]), ...others.map(({ pid }) => Number(pid))]
  }
}
