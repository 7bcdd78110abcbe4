/** A server on this storage. One folder holds all that it keeps: captured calls on their way to storage as well. */
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageSqlite from "./StorageSqlite.ts"

const { DATA_DIR: directory = ".data", EGRESS_ALLOW, LIVE_TOKEN, PORT = "8080" } = process.env

mkdirSync(directory, { recursive: true })
const limbeck = await Limbeck.make({
  storage: StorageSqlite.layer({ directory }),
  journal: { directory: join(directory, "journal") },
  egressAllow: EGRESS_ALLOW === undefined ? [] : EGRESS_ALLOW.split(","),
  bootstrap: { liveToken: LIVE_TOKEN }
})

const server = createServer(limbeck.node)
server.listen(Number(PORT), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo // It listens on a port.
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, ...limbeck.bootstrapped })}\n`)
})
process.once("SIGTERM", () => server.close(() => limbeck.close()))
