/** One process at a time may work on a data directory, and one that died holds nothing. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { inUse, unusable } from "../Errors.ts"
import * as Processes from "./Processes.ts"

let claims = 0

/**
 * Creates the folder if missing, and claims the folder. The name of a claim file holds a process id and the process's start
 * time. The claim is written before the search for others: at least one of two simultaneous claimants sees the other and
 * gives way. A dead process's claim is void.
 */
export const claim = (root: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const folder = path.join(root, "claims")
        await fs.mkdir(folder, { recursive: true, mode: 0o700 })
        const own = path.join(folder, `${process.pid}-${await Processes.startOf(process.pid)}-${++claims}`)
        await fs.writeFile(own, "", { mode: 0o600 })
        return own
      },
      catch: unusable(root, "create or write in")
    }),
    (own) => Effect.promise(() => fs.rm(own, { force: true }))
  ).pipe(
    Effect.flatMap((own) =>
      Effect.tryPromise({ try: () => liveClaim(path.dirname(own), path.basename(own)), catch: unusable(root, "read") })
    ),
    Effect.flatMap((pid) => (pid === undefined ? Effect.void : Effect.fail(inUse(root, pid))))
  )

/** The process that works on the data directory now; undefined where none does. */
export const ownerOf = (root: string) =>
  Effect.promise(() => liveClaim(path.join(root, "claims"), "").catch(() => undefined))

const liveClaim = async (folder: string, own: string): Promise<number | undefined> => {
  for (const name of await fs.readdir(folder)) {
    const [pid, start] = name.split("-")
    if (name === own) continue
    if ((await Processes.startOf(Number(pid))) === start) return Number(pid)
    await fs.rm(path.join(folder, name), { force: true })
  }
}
