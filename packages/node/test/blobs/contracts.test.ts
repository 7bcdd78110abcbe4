import * as BlobsContract from "@limbeck/testing/contracts/BlobsContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { storage as postgres } from "../../../storage-postgres/test/Database.ts"
import * as BlobsInstead from "../../src/blobs/BlobsInstead.ts"
import { freshFolder, storage } from "./Folders.ts"

BlobsContract.suite("a folder", storage)
BlobsContract.suite(
  "a folder beside Postgres",
  Layer.unwrap(Effect.map(freshFolder, (folder) => BlobsInstead.inFolder(postgres, folder)))
)
