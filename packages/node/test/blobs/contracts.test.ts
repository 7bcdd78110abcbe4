import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as BlobPartsContract from "@limbeck/testing/contracts/BlobPartsContract"
import * as BlobRemovalContract from "@limbeck/testing/contracts/BlobRemovalContract"
import * as BlobsContract from "@limbeck/testing/contracts/BlobsContract"
import * as Database from "@limbeck/testing/database/Database"
import { freshFolder } from "@limbeck/testing/Folders"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BlobsInstead from "../../src/blobs/BlobsInstead.ts"

/** The storage with its blobs in a folder of its own. */
const inFreshFolder = <Ports>(storage: Layer.Layer<Ports | Blobs, StorageError>) =>
  Layer.unwrap(Effect.map(freshFolder, (folder) => BlobsInstead.inFolder(storage, folder)))

for (const { suite } of [BlobsContract, BlobPartsContract, BlobRemovalContract]) {
  suite("a folder", inFreshFolder(StorageMemory.layer))
  suite("a folder beside Postgres", inFreshFolder(Database.storageOn(StoragePostgres.layer)))
}
