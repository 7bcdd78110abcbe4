/** Notes of processes in a folder: each marks an activity of its process. A dead process's note is void. */
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import path from "node:path"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readText, writeJson } from "../../process/internal/Files.ts"
import * as Leader from "../../process/internal/Leader.ts"
import { privateFolder } from "../../process/internal/PrivateModes.ts"

const Note = Schema.Struct({ pid: Schema.Int, identity: Schema.NullOr(Schema.String) })
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Note))

/** Another process may remove an empty folder just before a note is written there. */
const triesMax = 10

/** Writes one whole; returns its file, which ends it. */
export const write = async (folder: string): Promise<string> => {
  const file = path.join(folder, randomUUID())
  const { identity, pid } = Leader.self()
  for (let tries = 1; ; tries++) {
    try {
      await fs.mkdir(folder, { recursive: true, mode: privateFolder })
      await writeJson(file, { pid, identity })
      return file
    } catch (error) {
      const isGone = error instanceof Error && "code" in error && error.code === "ENOENT"
      if (!isGone || tries === triesMax) throw error
    }
  }
}

const namesIn = (folder: string): Promise<ReadonlyArray<string>> => fs.readdir(folder).catch(() => [])

/** Whether the process that wrote this note lives. */
export const isOfLiving = (note: string | null): boolean =>
  Option.match(decode(note), { onNone: () => false, onSome: Leader.isAlive })

const isAlive = async (file: string): Promise<boolean> => isOfLiving(await readText(file))

/** Whether a living process has a note there. */
export const areLeft = async (folder: string): Promise<boolean> => {
  for (const name of await namesIn(folder)) if (await isAlive(path.join(folder, name))) return true
  return false
}

/** Removes dead processes' notes, and the folder when empty. */
export const clear = async (folder: string): Promise<void> => {
  for (const name of await namesIn(folder)) {
    const file = path.join(folder, name)
    if (!(await isAlive(file))) await fs.rm(file, { force: true })
  }
  await fs.rmdir(folder).catch(() => {})
}
