/** Makes a folder on any file system, for its owner alone. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { hasCode } from "../internal/ErrorCode.ts"
import { privateFolder } from "../internal/PrivateModes.ts"

/** Whether the path is an existing folder. */
const isFolder = (folder: string): Promise<boolean> =>
  fs.stat(folder).then(
    (found) => found.isDirectory(),
    () => false
  )

/** Makes a folder in an existing parent and returns it; undefined if the folder exists. */
const makeOne = async (place: string): Promise<string | undefined> => {
  try {
    await fs.mkdir(place, { mode: privateFolder })
    return place
  } catch (error) {
    if (await isFolder(place)) return undefined
    throw error
  }
}

/**
 * Creates a folder, and missing folders above, with mode 700. Returns the topmost folder created; undefined if the folder
 * existed. Rejects if creation fails. `fs.mkdir` with `recursive` never returns on file systems such as /proc, which report
 * a missing parent although the parent exists.
 *
 * @example
 * await makeFolder("/var/lib/limbeck/journal")
 */
export const makeFolder = async (folder: string): Promise<string | undefined> => {
  const place = path.resolve(folder)
  try {
    return await makeOne(place)
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
    const first = await makeFolder(path.dirname(place))
    // With its parent it can be made, or never.
    const last = await makeOne(place)
    return first ?? last
  }
}
