import { createServer } from "node:http"
import { parseKey } from "@limbeck/core/secrets/Secrets"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"

const { DATABASE_URL: url, ENCRYPTION_KEY = "", PORT = "3000" } = process.env
const key = parseKey(ENCRYPTION_KEY)
if (key === undefined) throw new Error("ENCRYPTION_KEY must be 32 bytes in base64")

const limbeck = await Limbeck.make({
  storage: url === undefined ? StorageMemory.layer : StoragePostgres.layer({ url }),
  encryptionKeys: [key],
  settings: { publicUrl: `http://127.0.0.1:${PORT}/limbeck` }
})

const server = createServer((request, response) => {
  if (!request.url?.startsWith("/limbeck/")) return response.end("Your own application\n")
  request.url = request.url.slice("/limbeck".length)
  limbeck.node(request, response)
})

server.listen(Number(PORT), "127.0.0.1", () => process.stdout.write(`${JSON.stringify(limbeck.bootstrapped)}\n`))
process.once("SIGTERM", () => server.close(() => limbeck.close()))
