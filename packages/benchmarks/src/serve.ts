/** What is measured: a bare node:http server, or ours over a storage. Started by `Child`. */
// As the program does, before all else.
import "@limbeck/node/Pretenuring"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Redacted from "effect/Redacted"
import { report } from "./Child.ts"
import { token } from "./Token.ts"

const bareBody = JSON.stringify({ object: "whoami", workspace: { id: "ws_x", name: "default", plan: "self_hosted" } })

const bare: RequestListener = (request, response) => {
  request.resume()
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": bareBody.length }).end(bareBody)
  })
}

const ours = async (databaseUrl: string | undefined, workers: boolean): Promise<RequestListener> => {
  const limbeck = await Limbeck.make({
    storage: databaseUrl === undefined ? StorageMemory.layer : StoragePostgres.layer({ url: databaseUrl }),
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    bootstrap: { liveToken: token, testToken: null },
    settings: { rateLimit: null },
    workers
  })
  return limbeck.node
}

const [kind, databaseUrl, workers] = process.argv.slice(2)
const listener =
  kind === "bare" ? bare : await ours(databaseUrl === "" ? undefined : databaseUrl, workers === "workers")
const server = createServer(listener)
server.listen(0, "127.0.0.1", () => report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
