/**
 * Makes a data directory ready for a server: initialised whole, of the right version and owner, and free of what a crash
 * left behind.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { DirectoryUnusable, programFailure, unusable, VersionMismatch } from "../Errors.ts"
import * as Account from "./Account.ts"
import { dataOf, read } from "./Files.ts"
import * as LockFile from "./LockFile.ts"
import * as Supervisor from "./Supervisor.ts"

/** What every command needs to know. `root` is the caller's folder; Postgres's own lies in it. */
export interface Place {
  readonly root: string
  readonly binaries: string
  readonly temporary: string
  readonly account: Account.Account
  readonly durable: boolean
}

/**
 * The data directory argument of the server. An account without access to the path (below root's home, for example) is
 * started inside the directory and uses its working directory: a process keeps the folder where it was started.
 */
export const argumentFor = (account: Account.Account, directory: string) =>
  Effect.tryPromise({
    try: async () =>
      process.platform === "linux" && !(await Account.reachable(account, path.dirname(directory)))
        ? "/proc/self/cwd"
        : directory,
    catch: unusable(directory, "reach")
  })

/** Initialises beside the final place and moves the result there: half a directory never looks like a whole one. */
const initialise = Effect.fnUntraced(function* (place: Place) {
  const fresh = yield* Effect.tryPromise({ try: () => freshFolder(place), catch: unusable(place.root, "write in") })
  const directory = yield* argumentFor(place.account, fresh)
  const flags = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"]
  yield* Effect.scoped(
    Effect.gen(function* () {
      const running = yield* Supervisor.run({
        program: path.join(place.binaries, "initdb"),
        args: ["-D", directory, ...flags, ...(place.durable ? [] : ["--no-sync"])],
        cwd: fresh,
        account: place.account,
        temporary: place.temporary
      })
      if ((yield* running.ended) !== 0) return yield* programFailure("initdb", running.log())
    })
  )
  yield* Effect.tryPromise({
    try: async () => {
      await fs.rename(fresh, dataOf(place.root))
      if (place.durable) await syncFolder(place.root)
    },
    catch: unusable(place.root, "write in")
  })
})

const unfinished = "initialising-"

const freshFolder = async (place: Place): Promise<string> => {
  for (const name of await fs.readdir(place.root)) {
    if (name.startsWith(unfinished)) await fs.rm(path.join(place.root, name), { recursive: true, force: true })
  }
  const fresh = await fs.mkdtemp(path.join(place.root, unfinished))
  await Account.give(place.account, fresh)
  return fresh
}

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await fs.open(folder)
  await handle.sync().finally(() => handle.close())
}

/** The catalogue's source, which ships with the server, names the major version that it makes. */
const serverVersion = Effect.fnUntraced(function* (binaries: string) {
  const text = yield* read(path.join(binaries, "../share/postgresql/postgres.bki"))
  return text?.match(/^# PostgreSQL (\d+)/)?.[1] ?? "unknown"
})

const checkVersion = Effect.fnUntraced(function* (place: Place, directoryVersion: string) {
  const version = yield* serverVersion(place.binaries)
  if (version === directoryVersion) return
  return yield* new VersionMismatch({
    path: place.root,
    directoryVersion,
    serverVersion: version,
    message:
      `${place.root} was made by Postgres ${directoryVersion}, and this is Postgres ${version}. ` +
      `Dump it with version ${directoryVersion} and restore into a new directory, or go back to the old version.`
  })
})

const checkOwner = Effect.fnUntraced(function* (place: Place) {
  const data = yield* Effect.promise(() => fs.stat(dataOf(place.root)).catch(() => undefined))
  const ours = place.account?.uid ?? process.getuid?.()
  if (data === undefined || data.uid === ours) return
  return yield* new DirectoryUnusable({
    path: place.root,
    message: `${place.root} belongs to user ${data.uid}, and the server would run as user ${ours}`
  })
})

/** Prepares the directory for a server: initialised, of the right version, and free of other servers. */
export const prepare = Effect.fn("DataDirectory.prepare")(function* (place: Place) {
  yield* checkOwner(place)
  const directoryVersion = yield* read(path.join(dataOf(place.root), "PG_VERSION"))
  if (directoryVersion === undefined) return yield* initialise(place)
  yield* checkVersion(place, directoryVersion.trim())
  yield* LockFile.clear(place.root)
})
