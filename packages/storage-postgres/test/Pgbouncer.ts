/** A real pgbouncer in front of the Postgres of this test run, in a folder of its own, on a Unix socket. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { eventually } from "@limbeck/testing/Eventually"
import { freshFolder } from "@limbeck/testing/Folders"
import * as Effect from "effect/Effect"
import { url } from "./Database.ts"

/** Whether pgbouncer is installed; prints SKIPPED if not, also under CI. `.ci/run` installs it if it can. */
export const hasPgbouncer = (): boolean => {
  const isHere = spawnSync("pgbouncer", ["--version"]).status === 0
  if (!isHere) process.stderr.write("SKIPPED: the tests of poolers, because pgbouncer is not on this machine\n")
  return isHere
}

/** Only part of the socket's name. */
const port = 6432

const configuration = (folder: string, settings: Readonly<Record<string, string>>): string => {
  const { hostname, password, pathname, port: given, searchParams, username } = new URL(url)
  const target = {
    host: searchParams.get("host") ?? hostname,
    port: searchParams.get("port") ?? (given === "" ? "5432" : given),
    user: searchParams.get("user") ?? username,
    dbname: pathname.slice(1),
    ...(password === "" ? {} : { password })
  }
  const database = Object.entries(target).map(([name, value]) => `${name}=${value}`)
  const lines = Object.entries({
    listen_addr: "",
    listen_port: String(port),
    unix_socket_dir: folder,
    auth_type: "any",
    default_pool_size: "40",
    ...settings
  })
  const text = ["[databases]", `pooled = ${database.join(" ")}`, "[pgbouncer]"]
  return [...text, ...lines.map(([name, value]) => `${name} = ${value}`), ""].join("\n")
}

/** The socket file appears before pgbouncer listens. */
const accepts = async (socketPath: string): Promise<boolean> => {
  const socket = net.connect(socketPath)
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false
  )
  socket.destroy()
  return isOpen
}

const launch = async (folder: string, settings: Readonly<Record<string, string>>) => {
  // Started as root, pgbouncer needs another account, since it refuses to run as root.
  const account = process.getuid?.() === 0 ? ["-u", "nobody"] : []
  fs.chmodSync(folder, 0o777)
  const file = path.join(folder, "pgbouncer.ini")
  fs.writeFileSync(file, configuration(folder, settings))
  const bouncer = spawn("pgbouncer", ["-q", ...account, file], { stdio: ["ignore", "ignore", "inherit"] })
  const ended = once(bouncer, "exit")
  await eventually("pgbouncer listens", () => accepts(path.join(folder, `.s.PGSQL.${port}`)))
  const stop = async () => {
    bouncer.kill("SIGTERM")
    await ended
  }
  return { url: `postgres:///pooled?host=${encodeURIComponent(folder)}&port=${port}&user=anybody`, stop }
}

/** The libpq URI of a pgbouncer with these `pgbouncer.ini` settings, which runs until the scope closes. */
export const open = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>) {
  const folder = yield* freshFolder
  const launched = Effect.promise(() => launch(folder, settings))
  const bouncer = yield* Effect.acquireRelease(launched, ({ stop }) => Effect.promise(stop))
  return bouncer.url
})
