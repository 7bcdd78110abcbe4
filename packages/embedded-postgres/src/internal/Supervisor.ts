/**
 * Runs a program under a small shell that holds the other end of a pipe: when we let go of it, or die in any way, the
 * shell stops the program and removes what was temporary. So nothing outlives us, not even after SIGKILL.
 */
import { spawn } from "node:child_process"
import type { Duplex } from "node:stream"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Account } from "./Account.ts"

export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly account: Account
  /** Removed after the program when we let go or die; not when the program ends by itself. */
  readonly temporary: string
}

interface SupervisedProgram {
  /** The exit code, once the program and all its children are gone. */
  readonly ended: Effect.Effect<number>
  readonly hasEnded: () => boolean
  /** The end of its standard error. */
  readonly log: () => string
}

/**
 * SIGINT asks Postgres for a fast shutdown: Postgres rolls back transactions and flushes data. From then on the watcher
 * ignores SIGTERM: its successful exit means that the temporary folder must be removed.
 */
export const script = `
temporary=$1; shift
"$@" 3<&- &
program=$!
(read -r _ <&3; trap '' TERM; kill -INT $program; true) 2>/dev/null &
watcher=$!
wait $program
code=$?
kill $watcher 2>/dev/null
wait $watcher 2>/dev/null && rm -rf "$temporary"
exit $code
`

const logLengthMax = 8192

/** Postgres must see neither our settings (PGDATA, PGPORT …) nor our language: its messages are read by us. */
const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

const start = (command: Command) => {
  const child = spawn("/bin/sh", ["-c", script, "sh", command.temporary, command.program, ...command.args], {
    ...command.account,
    cwd: command.cwd,
    env: environment,
    // A process group of its own: Ctrl-C in the terminal reaches us alone, and we stop the server when we are done with it.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe"]
  })
  // With "pipe" the fourth channel is a duplex stream.
  const hold = child.stdio[3] as Duplex
  hold.on("error", () => {}).resume()
  let log = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-logLengthMax)
  })
  let code: number | undefined
  const ended = new Promise<number>((resolve) => {
    const end = (exit: number) => {
      code ??= exit
      resolve(code)
    }
    child.once("close", (exit) => end(exit ?? -1))
    child.once("error", (error) => {
      log += error.message
      end(-1)
    })
  })
  // A group's number is its leader's; the group may be gone.
  const { pid } = child
  const signal = (name: NodeJS.Signals) =>
    pid === undefined ? Effect.void : Effect.ignore(Effect.try(() => process.kill(-pid, name)))
  const running: SupervisedProgram = {
    ended: Effect.promise(() => ended),
    hasEnded: () => code !== undefined,
    log: () => log
  }
  return { running, letGo: Effect.sync(() => hold.destroy()), signal }
}

const stop = Effect.fnUntraced(function* ({ running, letGo, signal }: ReturnType<typeof start>) {
  yield* letGo
  if (Option.isSome(yield* Effect.timeoutOption(running.ended, "30 seconds"))) return
  yield* signal("SIGQUIT")
  if (Option.isSome(yield* Effect.timeoutOption(running.ended, "5 seconds"))) return
  yield* signal("SIGKILL")
})

/** Starts a program that lives until its scope closes, and waits for its end then. */
export const run = (command: Command) =>
  Effect.acquireRelease(
    Effect.sync(() => start(command)),
    stop
  ).pipe(Effect.map(({ running }) => running))
