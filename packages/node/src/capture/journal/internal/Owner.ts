/** Whose folder of a journal it is, and whether that process is still there. */
import * as fs from "node:fs"
import * as os from "node:os"
import { performance } from "node:perf_hooks"
import { hasCode } from "../../../internal/ErrorCode.ts"

/** A process, told from all others on this machine, also from one that got its number later. */
interface Owner {
  readonly pid: number
  readonly startedAt: string | null
  /** Processes of one machine and boot, and of one container, can be asked after by their number. */
  readonly place: string
}

export const ownerFile = "owner.json"

/** How often an owner says that it is there, and how long the silence of one that cannot be asked after may be. */
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

/** `heardAt`: when it said last that it is there. */
export const isGone = (owner: Owner | null, heardAt: number): boolean =>
  owner !== null && owner.place === placeOf() ? !isRunning(owner) : now() - heardAt > silenceMillisMax
