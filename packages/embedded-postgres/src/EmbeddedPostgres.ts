/**
 * A private, real Postgres for the lifetime of a scope, started from an npm binary behind a Unix socket that only this
 * account may open. Its data is temporary or stays in a folder. Works as a plain user and as root.
 */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { programFailure, unusable } from "./Errors.ts"
import * as Account from "./internal/Account.ts"
import * as Binaries from "./internal/Binaries.ts"
import * as Claim from "./internal/Claim.ts"
import * as DataDirectory from "./internal/DataDirectory.ts"
import { dataOf } from "./internal/Files.ts"
import * as LockFile from "./internal/LockFile.ts"
import * as Supervisor from "./internal/Supervisor.ts"

/** Where the data are kept, and how. */
export interface Options {
  /** The folder that keeps the data; made if missing. Without it the data goes when the scope closes, or we die. */
  readonly dataDir?: string | undefined
  /** Whether commits survive a server crash and a power cut. On by default for persistent data. */
  readonly durable?: boolean | undefined
  /** More settings of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/** Where the running server is reached, on a Unix socket. */
export interface Server {
  /** The folder of the socket. */
  readonly host: string
  /** Part of the socket's name; nothing listens on the network. */
  readonly port: number
  readonly user: string
  readonly database: string
  /** The same as a libpq URI: `postgres:///postgres?host=…&port=…&user=…`. */
  readonly url: string
}

const port = 5432

/** A socket's path holds 103 bytes on macOS and 107 on Linux; ours ends in `/limbeck-XXXXXX/.s.PGSQL.5432`. */
const socketPathMax = 103
const socketPathRest = 30

/** The system's temporary folder, unless its path is too long for a socket or the server's account may not enter it. */
const temporaryRoot = async (account: Account.Account): Promise<string> => {
  const usual = os.tmpdir()
  const fits = Buffer.byteLength(usual) + socketPathRest <= socketPathMax
  return fits && (await Account.reachable(account, usual)) ? usual : "/tmp"
}

const temporaryFolder = (account: Account.Account) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const folder = await fs.mkdtemp(path.join(await temporaryRoot(account), "limbeck-"))
        await Account.give(account, folder)
        return folder
      },
      catch: unusable(os.tmpdir(), "create a folder in")
    }),
    (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
  )

const careless = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }

const start = Effect.fnUntraced(function* (place: DataDirectory.Place, more: Readonly<Record<string, string>>) {
  const data = dataOf(place.root)
  const settings = {
    ...(place.durable ? {} : careless),
    ...more,
    listen_addresses: "",
    port: String(port),
    unix_socket_directories: place.temporary,
    cluster_name: yield* LockFile.serverName(place.root)
  }
  const running = yield* Supervisor.run({
    program: path.join(place.binaries, "postgres"),
    args: [
      "-D",
      yield* DataDirectory.argumentFor(place.account, data),
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    ],
    cwd: data,
    account: place.account,
    temporary: place.temporary
  })
  while (!(yield* LockFile.isReady(place.root))) {
    if (running.hasEnded()) return yield* programFailure("postgres", running.log())
    yield* Effect.sleep("5 millis")
  }
})

/** Workers of a killed server may need a moment to notice; until then a new one refuses to start. */
const startWhenFree = (place: DataDirectory.Place, settings: Readonly<Record<string, string>>) =>
  start(place, settings).pipe(
    Effect.retry({
      while: (error) => error._tag === "ProgramFailed" && error.log.includes("is still in use"),
      times: 100,
      schedule: Schedule.spaced("100 millis")
    })
  )

const server = (host: string): Server => ({
  host,
  port,
  user: "postgres",
  database: "postgres",
  url: `postgres:///postgres?host=${encodeURIComponent(host)}&port=${port}&user=postgres`
})

/**
 * The server that another process of this machine runs on the data in this folder. Undefined if no server takes
 * connections. Only the server's account and root can open the socket.
 */
export const running = Effect.fn("EmbeddedPostgres.running")(function* (dataDir: string) {
  const root = path.resolve(dataDir)
  if ((yield* Claim.ownerOf(root)) === undefined) return undefined
  const folder = yield* LockFile.socketFolder(root)
  return folder === undefined ? undefined : server(folder)
})

/**
 * Starts a server and answers when it takes connections. Closing the scope stops it (a fast shutdown) and waits for its end.
 * If this process dies without closing the scope the server stops as well, and data that is not kept is removed.
 */
export const launch = Effect.fn("EmbeddedPostgres.launch")(function* (options: Options = {}) {
  const kept = options.dataDir === undefined ? undefined : path.resolve(options.dataDir)
  const account = yield* Account.choose(kept === undefined ? undefined : dataOf(kept))
  const temporary = yield* temporaryFolder(account)
  const root = kept ?? temporary
  if (kept !== undefined) yield* Claim.claim(kept)
  const binaries = yield* Binaries.prepare(temporary, account)
  const place = { root, binaries, temporary, account, durable: options.durable ?? kept !== undefined }
  yield* DataDirectory.prepare(place)
  yield* startWhenFree(place, options.settings ?? {})
  return server(temporary)
})
