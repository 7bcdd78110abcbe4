/** This machine's own Postgres with its tools, which the embedded one lacks. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import * as Database from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"

const programs = ["initdb", "postgres", "pg_dump", "pg_restore"]
/** Where Debian and its relatives keep versions beside each other. */
const versions = "/usr/lib/postgresql"

const candidates = (): ReadonlyArray<string> => [
  ...(fs.existsSync(versions) ? fs.readdirSync(versions).map((version) => path.join(versions, version, "bin")) : []),
  ...(process.env["PATH"] ?? "").split(path.delimiter)
]

/** The folder of its programs; undefined where this machine has none. */
export const programsFolder = candidates().find((folder) =>
  programs.every((name) => fs.existsSync(path.join(folder, name)))
)

/** Postgres refuses root. */
const account = () => {
  if (process.getuid?.() !== 0) return {}
  const ask = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }))
  return { uid: ask("-u"), gid: ask("-g") }
}

/** Its URL, while the test lasts. */
export const start = async (atEnd: AtEnd, programs: string): Promise<string> => {
  const folder = await temporaryFolder(atEnd)
  const options = { cwd: folder, env: { PATH: programs, LC_ALL: "C" }, stdio: "ignore", ...account() } as const
  if (options.uid !== undefined) fs.chownSync(folder, options.uid, options.gid)
  const data = path.join(folder, "data")
  execFileSync("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], options)
  const settings = ["listen_addresses=", `unix_socket_directories=${folder}`, "fsync=off", "max_connections=100"]
  const server = spawn("postgres", ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], options)
  atEnd(async () => {
    const ended = once(server, "exit")
    server.kill("SIGQUIT")
    await ended
  })
  const url = `postgres:///postgres?host=${encodeURIComponent(folder)}&port=5432&user=postgres`
  const answers = () =>
    Database.execute("SELECT 1", url).then(
      () => true,
      () => false
    )
  await eventually("Postgres answers", answers)
  return url
}
