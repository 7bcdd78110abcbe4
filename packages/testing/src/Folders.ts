/** Folders of a test's own. */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import path from "node:path"
import * as Effect from "effect/Effect"
import type { AtEnd } from "./AtEnd.ts"

const make = () => fs.mkdtemp(path.join(os.tmpdir(), "limbeck-test-"))

// A database that lost its server may still be writing in it for a moment.
const remove = (folder: string) => fs.rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })

/**
 * The path of an empty folder. It is removed when the scope closes.
 *
 * @example
 * const storage = Layer.unwrap(Effect.map(freshFolder, (folder) => MyBlobs.layer({ folder })))
 */
export const freshFolder = Effect.acquireRelease(Effect.promise(make), (folder) => Effect.promise(() => remove(folder)))

/**
 * The same for a test that is no Effect program: the folder is removed when the test ends.
 *
 * @example
 * const folder = await temporaryFolder(onTestFinished)
 */
export const temporaryFolder = async (atEnd: AtEnd): Promise<string> => {
  const folder = await make()
  atEnd(() => remove(folder))
  return folder
}

/**
 * The paths of all files below a folder, relative to it and sorted.
 *
 * @example
 * assert.deepStrictEqual(await filesIn(folder), ["ab/cdef"])
 */
export const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const found = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
}
