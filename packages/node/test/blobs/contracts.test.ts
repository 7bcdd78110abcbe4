import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as BlobPartsContract from "@limbeck/testing/contracts/BlobPartsContract"
import * as BlobRemovalContract from "@limbeck/testing/contracts/BlobRemovalContract"
import * as BlobsContract from "@limbeck/testing/contracts/BlobsContract"
import { storage as postgres } from "../../../storage-postgres/test/Database.ts"
import { inFreshFolder } from "./Folders.ts"

for (const { suite } of [BlobsContract, BlobPartsContract, BlobRemovalContract]) {
  suite("a folder", inFreshFolder(StorageMemory.layer))
  suite("a folder beside Postgres", inFreshFolder(postgres))
}
