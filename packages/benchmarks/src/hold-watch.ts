/**
 * Loaded into a server before its start: measures how long its main thread was blocked without a pause, in the thread's CPU
 * time, independent of other load. Listens on the socket named by `HOLD_WATCH`. Each connection reads the longest hold
 * since the previous one, in milliseconds.
 *
 * A timer is due every `gapMillis`. The thread's CPU between two timer turns is one hold, or several without a gap. Node
 * before 23.9 lacks thread CPU times; the process's are used there.
 */
import { createServer } from "node:net"
import * as HoldProfile from "./HoldProfile.ts"

const gapMillis = 5

const spentMicros = (): number => {
  const { system, user } = (process.threadCpuUsage ?? process.cpuUsage)()
  return system + user
}

const printProfile = process.env["HOLD_PROFILE"] === undefined ? undefined : HoldProfile.start()
const now = () => Number(process.hrtime.bigint() / 1_000n)
let longestMicros = 0
let longest: HoldProfile.Span = { from: 0, to: 0 }
let before = spentMicros()
let turnedAt = now()

// @effect-diagnostics-next-line globalTimers:off
setInterval(() => {
  const [spent, to] = [spentMicros(), now()]
  if (spent - before > longestMicros) {
    longestMicros = spent - before
    longest = { from: turnedAt, to }
  }
  before = spent
  turnedAt = to
}, gapMillis).unref()

const take = (): string => {
  const taken = String(longestMicros / 1_000)
  longestMicros = 0
  printProfile?.(longest)
  // The profiler's own work is no hold.
  before = spentMicros()
  turnedAt = now()
  return taken
}

createServer((socket) => void socket.on("error", () => {}).end(take()))
  .listen(process.env["HOLD_WATCH"])
  .unref()
