/**
 * The leader of a trainer's process group: a shell that records its identity before it starts the trainer, and the
 * trainer's exit code afterwards. Both records outlive the server, so that another server finds the trainer and never a
 * stranger with the same pid.
 */
import { readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import path from "node:path"
import { readText } from "./Files.ts"

export interface Leader {
  readonly pid: number
  /** Boot and start time of the process; null where the system does not tell (no /proc). */
  readonly identity: string | null
}

/**
 * `$0` is the folder of the job, `$1` the command. Only the owner can read the files of either. Both shells ignore termination signals
 * and wait for the trainer; the trap is not inherited, so the trainer itself handles signals.
 */
export const script = `
umask 077
trap : TERM INT HUP
{ echo $$; cat /proc/sys/kernel/random/boot_id /proc/$$/stat; } >"$0/leader.new" 2>/dev/null
mv "$0/leader.new" "$0/leader"
/bin/sh -c "trap : TERM INT HUP
$1" <"$0/input.json"
code=$?
echo "$code" >"$0/exit.new"
mv "$0/exit.new" "$0/exit"
exit "$code"
`

const bootFile = "/proc/sys/kernel/random/boot_id"

/** State and start time from a line of /proc/<pid>/stat; the name before them may hold anything. */
const readStat = (stat: string): { readonly state: string; readonly startTime: string } => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { state: fields[0] ?? "", startTime: fields[19] ?? "" }
}

const identityOf = (boot: string, stat: string): string => `${boot.trim()} ${readStat(stat).startTime}`

/** This process. */
export const self = (): Leader => {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8")
    return { pid: process.pid, identity: identityOf(readFileSync(bootFile, "utf8"), stat) }
  } catch {
    return { pid: process.pid, identity: null }
  }
}

export const read = async (job: string): Promise<Leader | null> => {
  const [pid = "", boot = "", stat = ""] = (await readText(path.join(job, "leader")))?.split("\n") ?? []
  if (!/^\d+$/.test(pid)) return null
  return { pid: Number(pid), identity: stat === "" ? null : identityOf(boot, stat) }
}

const answers = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A zombie process counts as dead. */
export const isAlive = ({ identity, pid }: Leader): boolean => {
  if (identity === null) return answers(pid)
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return !"ZX".includes(readStat(stat).state) && identityOf(readFileSync(bootFile, "utf8"), stat) === identity
  } catch {
    return false
  }
}

/** Whether a process remains in the group of a leader that was alive a moment ago. */
export const isGroupAlive = (leader: Leader): boolean => isAlive(leader) || answers(-leader.pid)

/** Signals the whole group; does nothing if the group is gone. */
export const signal = ({ pid }: Leader, name: "SIGTERM" | "SIGKILL"): void => {
  try {
    process.kill(-pid, name)
  } catch {
    // Gone already.
  }
}

/** The trainer's exit code; null before a recorded exit. */
export const exitCode = async (job: string): Promise<number | null> => {
  const text = await readText(path.join(job, "exit"))
  return text === null || text.trim() === "" ? null : Number(text)
}

/** When the job is known to have been alive last, in milliseconds. */
export const lastSeenAt = async (job: string): Promise<number> => {
  const times = await Promise.all(
    ["exit", "stdout", "stderr", "leader"].map((name) =>
      fs.stat(path.join(job, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0
      )
    )
  )
  return Math.max(...times)
}
