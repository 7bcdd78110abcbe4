import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as BlobsContract from "@limbeck/testing/contracts/BlobsContract"
import { storage as postgres } from "../../../storage-postgres/test/Database.ts"
import { inFreshFolder } from "./Folders.ts"

BlobsContract.suite("a folder", inFreshFolder(StorageMemory.layer))
BlobsContract.suite("a folder beside Postgres", inFreshFolder(postgres))
