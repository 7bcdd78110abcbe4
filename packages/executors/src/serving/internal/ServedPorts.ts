/**
 * The ports of serving processes, each noted in the served folder before its process starts. So every server that shares
 * the folder knows them, including sibling processes' ports, and sends no tenant's request there.
 *
 *     <folder>/ports/<port>/  a note of each server that starts a process there
 */
import { readdirSync, readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import path from "node:path"
import * as Effect from "effect/Effect"
import * as Health from "./Health.ts"
import * as Notes from "./Notes.ts"

const portsIn = (folder: string): string => path.join(folder, "ports")

/** A free port, noted until the scope closes. */
export const claimPort = Effect.fnUntraced(function* (folder: string) {
  const port = yield* Health.freePort
  yield* Effect.acquireRelease(
    Effect.promise(() => Notes.write(path.join(portsIn(folder), String(port)))),
    (note) =>
      Effect.promise(async () => {
        await fs.rm(note, { force: true })
        await fs.rmdir(path.dirname(note)).catch(() => {})
      })
  )
  return port
})

const isNoteAlive = (note: string): boolean => {
  try {
    return Notes.isOfLiving(readFileSync(note, "utf8"))
  } catch {
    return false
  }
}

/** Whether a serving process of this machine has the port. Synchronous: called while a connection is made. */
export const isServed = (folder: string, port: number): boolean => {
  const notes = path.join(portsIn(folder), String(port))
  try {
    return readdirSync(notes).some((name) => isNoteAlive(path.join(notes, name)))
  } catch {
    return false
  }
}

/** Removes the notes of dead servers. */
export const sweep = async (folder: string): Promise<void> => {
  const ports = await fs.readdir(portsIn(folder)).catch((): ReadonlyArray<string> => [])
  for (const port of ports) await Notes.clear(path.join(portsIn(folder), port))
}
