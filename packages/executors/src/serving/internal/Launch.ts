/**
 * A serving process as a child of this one. Its group has a leader that waits for it, and a watcher on a pipe from us: when
 * this server dies in any way, the pipe closes, and the watcher ends the whole group.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as Effect from "effect/Effect"
import { privateFile } from "../../process/internal/PrivateModes.ts"
import { ServingProcessLimits } from "./Limits.ts"

/**
 * `$@` is the command, which gets no end of the pipe. The leader survives a SIGTERM to its group until the command has
 * ended; so does the watcher, which kills a command that ignores SIGTERM.
 */
const script = `
umask 077
exec 3<&0
trap : TERM INT HUP
"$@" </dev/null 3<&- &
command=$!
(
  trap '' TERM INT HUP
  cat <&3 >/dev/null
  kill -s TERM -- "-$$"
  sleep ${ServingProcessLimits.stopMillis / 1_000}
  kill -s KILL -- "-$$"
) >/dev/null 2>&1 &
exec 3<&-
while kill -0 "$command" 2>/dev/null; do wait "$command"; code=$?; done
exit "$code"
`

export interface LaunchedServer {
  /** Ends with the process; how, where that is known. */
  readonly exited: Effect.Effect<number | null>
  /** Ends the whole group, with force if needed. */
  readonly stop: Effect.Effect<void>
}

const openLog = async (file: string) => {
  const { size } = await fs.stat(file).catch(() => ({ size: 0 }))
  return fs.open(file, size > ServingProcessLimits.logBytesMax ? "w" : "a", privateFile)
}

const launch = async (
  argv: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly environment: Readonly<Record<string, string>>; readonly log: string }
): Promise<LaunchedServer> => {
  const log = await openLog(options.log)
  const child = spawn("/bin/sh", ["-c", script, "limbeck-serving", ...argv], {
    cwd: options.cwd,
    detached: true,
    stdio: ["pipe", log.fd, log.fd],
    env: options.environment
  })
  await log.close()
  let code: number | null | undefined
  const ended = new Promise<number | null>((resolve) => {
    const end = (found: number | null) => {
      code = found
      // Kills leftover children and the watcher.
      if (child.pid !== undefined) killGroup(child.pid)
      resolve(found)
    }
    child.once("exit", end)
    child.once("error", () => end(null))
  })
  // Ignores errors of a pipe to a dead group.
  child.stdin?.on("error", () => {})
  const exited = Effect.promise(() => ended)
  const stop = Effect.suspend(() => {
    if (code !== undefined) return Effect.void
    child.stdin?.end()
    const killed = Effect.sync(() => child.pid !== undefined && killGroup(child.pid))
    return exited.pipe(
      Effect.timeoutOrElse({
        duration: ServingProcessLimits.stopMillis + 1_000,
        orElse: () => Effect.andThen(killed, exited)
      }),
      Effect.asVoid
    )
  })
  return { exited, stop }
}

const killGroup = (leader: number): void => {
  try {
    process.kill(-leader, "SIGKILL")
  } catch {
    // Gone already.
  }
}

/** Stopped when the scope closes. */
export const start = (...options: Parameters<typeof launch>) =>
  Effect.acquireRelease(
    Effect.promise(() => launch(...options)),
    ({ stop }) => stop
  )
