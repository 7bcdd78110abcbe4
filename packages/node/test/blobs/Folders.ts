/** Folders that go when their users do, and storages with their blobs in one. */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import path from "node:path"
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as BlobsInstead from "@limbeck/node/blobs/BlobsInstead"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const freshFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "limbeck-blobs-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
)

/** The storage with its blobs in a folder of its own. */
export const inFreshFolder = <Ports>(storage: Layer.Layer<Ports | Blobs, StorageError>) =>
  Layer.unwrap(Effect.map(freshFolder, (folder) => BlobsInstead.inFolder(storage, folder)))

/** All files below, as paths with slashes, in their order. */
export const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const found = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
}
