/** Actions on servers from outside: run a query, kill a server or its owner. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Processes from "../src/internal/Processes.ts"

/** Readable by its owner alone: a server started as root cannot enter the folder with its own account. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "embedded-test-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
)

export const query = Effect.fnUntraced(
  function* (_url: string, text: string) {
    const sql = yield* PgClient.PgClient
    return yield* sql.unsafe(text)
  },
  (effect, url) => Effect.provide(effect, PgClient.layer({ url: Redacted.make(url) }))
)

export const postmaster = (dataDir: string) => {
  const text = fs.readFileSync(path.join(dataDir, "data/postmaster.pid"), "utf8")
  return Number(text.split("\n")[0])
}

export const kill = (pid: number) => Effect.sync(() => process.kill(pid, "SIGKILL"))

export const until = (condition: () => boolean | Promise<boolean>) =>
  Effect.promise(async () => condition()).pipe(
    Effect.repeat({ until: (met) => met, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("5 minutes")
  )

export const untilGone = (pid: number) => until(async () => (await Processes.startOf(pid)) === undefined)

const field = (pid: number, index: number) => {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[index])
}

/** The shell above a server and the shell that watches the pipe (Linux only). */
export const supervisors = (server: number): ReadonlyArray<number> => {
  const shell = field(server, 1)
  const children = fs.readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ").map(Number)
  return [shell, ...children.filter((pid) => pid !== server)]
}

/** Another process that owns a server, once the server runs. */
export const owner = (dataDir?: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const program = fileURLToPath(new URL("fixtures/owner.ts", import.meta.url))
      const args = ["--conditions=@limbeck/source", program, ...(dataDir === undefined ? [] : [dataDir])]
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
      const host = await new Promise<string>((resolve, reject) => {
        child.stdout.once("data", (line: Buffer) => resolve(line.toString().trim()))
        child.once("exit", () => reject(new Error("The owner ended before its server ran")))
      })
      return { child, host, pid: child.pid! }
    }),
    Effect.fnUntraced(function* ({ child, host }) {
      child.kill("SIGKILL")
      yield* until(() => !fs.existsSync(path.join(host, ".s.PGSQL.5432")))
      // The supervisor does it, unless the test has killed it.
      fs.rmSync(host, { recursive: true, force: true })
    }, Effect.orDie)
  )
