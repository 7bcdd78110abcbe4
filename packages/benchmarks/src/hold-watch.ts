/**
 * Loaded into a server before it starts: tells how long its main thread was held without a pause, in CPU time of that thread, so
 * that other work of the machine counts for nothing. Listens on the socket that `HOLD_WATCH` names. A connection reads the longest
 * hold since the one before, in milliseconds.
 *
 * A timer is due every `gapMillis`. What the thread spent between two of its turns is one hold, or several that others could not
 * get between. Node before 23.9 has no CPU time of a thread, and there it is that of the process.
 */
import { createServer } from "node:net"
import * as HoldProfile from "./HoldProfile.ts"

const gapMillis = 5

const spentMicros = (): number => {
  const { system, user } = (process.threadCpuUsage ?? process.cpuUsage)()
  return system + user
}

const printProfile = process.env["HOLD_PROFILE"] === undefined ? undefined : HoldProfile.start()
let longestMicros = 0
let before = spentMicros()

// @effect-diagnostics-next-line globalTimers:off
setInterval(() => {
  const spent = spentMicros()
  longestMicros = Math.max(longestMicros, spent - before)
  before = spent
}, gapMillis).unref()

const take = (): string => {
  const taken = String(longestMicros / 1_000)
  longestMicros = 0
  printProfile?.()
  return taken
}

createServer((socket) => void socket.on("error", () => {}).end(take()))
  .listen(process.env["HOLD_WATCH"])
  .unref()
