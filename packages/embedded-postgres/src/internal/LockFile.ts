/** Postgres's own lock file: shows when a server is ready, and identifies a server that outlived its owner. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { inUse, unusable } from "../Errors.ts"
import { dataOf, read } from "./Files.ts"
import * as Processes from "./Processes.ts"

/** Unique to the directory on this machine, and short enough for a setting. */
export const serverName = (root: string) =>
  Effect.promise(() => fs.stat(dataOf(root))).pipe(Effect.map(({ dev, ino }) => `limbeck-${dev}-${ino}`))

const lockFileOf = (root: string) => path.join(dataOf(root), "postmaster.pid")

/** No process has this number; Postgres takes such a lock file for a dead server's. */
const deadPid = 2 ** 31 - 1

export const isReady = (root: string) =>
  read(lockFileOf(root)).pipe(
    Effect.map((text) => {
      const lines = text?.split("\n") ?? []
      return Number(lines[0]) !== deadPid && lines[7]?.trim() === "ready"
    })
  )

/** The socket folder of a server that takes connections. */
export const socketFolder = Effect.fnUntraced(function* (root: string) {
  if (!(yield* isReady(root))) return undefined
  const text = yield* read(lockFileOf(root))
  return text?.split("\n")[4]?.trim()
})

const signal = (pid: number, name: NodeJS.Signals) => Effect.ignore(Effect.try(() => process.kill(pid, name)))

const untilGone = (pid: number, start: string) =>
  Effect.promise(() => Processes.startOf(pid)).pipe(
    Effect.repeat({ until: (now) => now !== start, schedule: Schedule.spaced("20 millis") })
  )

/** Stops a server whose owner was killed; never touches a foreign server. */
const stopOrphan = Effect.fnUntraced(function* (root: string, pid: number) {
  const start = yield* Effect.promise(() => Processes.startOf(pid))
  const command = yield* Effect.promise(() => Processes.commandLine(pid))
  if (start === undefined || command === undefined) return
  if (!`${command} `.includes(`cluster_name=${yield* serverName(root)} `)) {
    // A number used again by some other program says nothing about the directory.
    return command.includes(dataOf(root)) ? yield* inUse(root, pid) : undefined
  }
  for (const name of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    yield* signal(pid, name)
    if (Option.isSome(yield* Effect.timeoutOption(untilGone(pid, start), "15 seconds"))) return
  }
  return yield* inUse(root, pid)
})

/**
 * Postgres refuses to start while the process in its lock file lives, even if that is by now another program. The file must
 * not be deleted: its last lines lead Postgres to workers that outlived a killed server.
 */
export const clear = Effect.fnUntraced(function* (root: string) {
  const before = yield* read(lockFileOf(root))
  if (before === undefined) return
  yield* stopOrphan(root, Number(before.split("\n")[0]))
  const left = yield* read(lockFileOf(root))
  if (left === undefined) return
  yield* Effect.tryPromise({
    try: () => fs.writeFile(lockFileOf(root), left.replace(/^.*/, String(deadPid))),
    catch: unusable(lockFileOf(root), "write")
  })
})
