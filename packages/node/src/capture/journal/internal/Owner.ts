/** The owner of a journal's folder, and whether that process is still alive. */
import * as fs from "node:fs"
import * as os from "node:os"
import { performance } from "node:perf_hooks"
import { hasCode } from "../../../internal/ErrorCode.ts"

/** Identifies a process on this machine, even against a later process with the same number. */
interface Owner {
  readonly pid: number
  readonly startedAt: string | null
  /** The machine, boot and container, within which a process number can be checked. */
  readonly place: string
}

export const ownerFile = "owner.json"

/** Interval of heartbeats, and the longest silence of an owner that cannot be checked by its number. */
export const heartbeatMillis = 2_000
const silenceMillisMax = 10_000

const textOf = (read: () => string): string => {
  try {
    return read().trim()
  } catch {
    return ""
  }
}

/** The 22nd field of its line; the second may hold spaces. */
const startOf = (pid: number): string | null => {
  const line = textOf(() => fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? null
}

const placeOf = (): string =>
  [
    os.hostname(),
    textOf(() => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    textOf(() => fs.readlinkSync("/proc/self/ns/pid"))
  ].join(" ")

export const self = (): Owner => ({ pid: process.pid, startedAt: startOf(process.pid), place: placeOf() })

const isRunning = ({ pid, startedAt }: Owner): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process is one, too.
    if (hasCode(error, "ESRCH")) return false
  }
  return startedAt === null || startOf(pid) === startedAt
}

/** Null where the file holds no owner: it was cut short. */
export const parse = (text: string): Owner | null => {
  try {
    const { pid, place, startedAt } = Object(JSON.parse(text))
    return Number.isSafeInteger(pid) && typeof place === "string" ? { pid, place, startedAt: startedAt ?? null } : null
  } catch {
    return null
  }
}

/** Milliseconds, as files have them. */
export const now = (): number => performance.timeOrigin + performance.now()

/** `heardAt`: the time of the last heartbeat. */
export const isGone = (owner: Owner | null, heardAt: number): boolean =>
  owner !== null && owner.place === placeOf() ? !isRunning(owner) : now() - heardAt > silenceMillisMax
