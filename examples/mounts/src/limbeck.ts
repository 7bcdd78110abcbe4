import { parseKey } from "@limbeck/core/secrets/Secrets"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"

const { DATABASE_URL: url, ENCRYPTION_KEY = "", PUBLIC_URL = "http://127.0.0.1:3000" } = process.env
const key = parseKey(ENCRYPTION_KEY)
if (key === undefined) throw new Error("ENCRYPTION_KEY must be 32 bytes in base64")

export const limbeck = await Limbeck.make({
  storage: url === undefined ? StorageMemory.layer : StoragePostgres.layer({ url }),
  encryptionKeys: [key],
  settings: { publicUrl: `${PUBLIC_URL}/limbeck` }
})
