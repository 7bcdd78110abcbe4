/** Facts about other processes: from /proc on Linux, else from `ps`. */
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import { promisify } from "node:util"

const ps = (pid: number, column: string): Promise<string | undefined> =>
  promisify(execFile)("ps", ["-o", `${column}=`, "-p", String(pid)]).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined
  )

const proc = (pid: number, file: string): Promise<string | undefined> =>
  fs.readFile(`/proc/${pid}/${file}`, "utf8").catch(() => undefined)

/**
 * When the process started, as a word that only it and no later process with its number has; undefined when there is none.
 * A zombie has ended: it holds nothing.
 */
export const startOf = async (pid: number): Promise<string | undefined> => {
  if (process.platform !== "linux") return (await ps(pid, "lstart"))?.replaceAll(/[^A-Za-z0-9]+/g, "")
  const stat = await proc(pid, "stat")
  // The name, in parentheses, may hold spaces; then follow state (field 3) … start time (field 22).
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields?.[0] === "Z" ? undefined : fields?.[19]
}

export const commandLine = async (pid: number): Promise<string | undefined> =>
  process.platform === "linux" ? (await proc(pid, "cmdline"))?.replaceAll("\0", " ") : ps(pid, "command")
