/** Files and folders that outlive a power failure once their call has ended, and those that may not be there. */
import * as fs from "node:fs/promises"
import path from "node:path"
import { makeFolder } from "../../folders/MakeFolder.ts"
import { hasCode, orMissing } from "../../internal/ErrorCode.ts"

/** What was written to a file, or which names a folder holds, is on the disk. */
export const sync = async (name: string): Promise<void> => {
  const handle = await fs.open(name, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The folder is there, and so is its name in every folder above it. */
export const ensureFolder = async (folder: string): Promise<void> => {
  const first = await makeFolder(folder)
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) await sync(path.dirname(made))
}

export const remove = (name: string): Promise<void> => fs.rm(name, { recursive: true, force: true })

/** Whether it had that name and has the other one now; not when it is gone, or when others have the name. */
export const moved = async (from: string, to: string): Promise<boolean> => {
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

/** When it was last written, in whole milliseconds: file systems keep fractions that nobody wrote. */
export const writtenAt = async (name: string): Promise<number | undefined> => {
  const found = await orMissing(fs.stat(name))
  return found && Math.round(found.mtimeMs)
}

export const touch = (name: string, millis: number): Promise<void> => fs.utimes(name, millis / 1000, millis / 1000)
