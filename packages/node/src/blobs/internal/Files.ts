/** Files and folders that outlive a power failure once their call has ended, and those that may not be there. */
import * as fs from "node:fs/promises"
import path from "node:path"
import { makeFolder } from "../../folders/MakeFolder.ts"
import { hasCode, orMissing } from "../../internal/ErrorCode.ts"

/** Flushes a file's content, or a folder's entries, to disk. */
export const sync = async (name: string): Promise<void> => {
  const handle = await fs.open(name, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates the folder, and makes its name durable in every folder above. */
export const ensureFolder = async (folder: string): Promise<void> => {
  const first = await makeFolder(folder)
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) await sync(path.dirname(made))
}

export const remove = (name: string): Promise<void> => fs.rm(name, { recursive: true, force: true })

/** Whether the rename happened; false if `from` is gone or `to` exists. */
export const moveFile = async (from: string, to: string): Promise<boolean> => {
  try {
    await fs.rename(from, to)
    return true
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) return false
    throw error
  }
}

/** The names in a folder; none when it is not there. */
export const namesIn = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await orMissing(fs.readdir(folder))) ?? []

/** The last write time in whole milliseconds: file systems keep fractions that were never set. */
export const writeTimeOf = async (name: string): Promise<number | undefined> => {
  const found = await orMissing(fs.stat(name))
  return found && Math.round(found.mtimeMs)
}

export const touch = (name: string, millis: number): Promise<void> => fs.utimes(name, millis / 1000, millis / 1000)
