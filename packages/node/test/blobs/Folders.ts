/** Folders that go when their users do, and storages with their blobs in one. */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import path from "node:path"
import * as BlobsInstead from "@limbeck/node/blobs/BlobsInstead"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const freshFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "limbeck-blobs-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
)

/** A storage in memory whose blobs are in a folder of its own. */
export const storage = Layer.unwrap(
  Effect.map(freshFolder, (folder) => BlobsInstead.inFolder(StorageMemory.layer, folder))
)

/** All files below, as paths with slashes, in their order. */
export const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const found = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
}
