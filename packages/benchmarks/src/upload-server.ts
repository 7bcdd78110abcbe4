/** A whole server with its workers, which remembers the most memory it had. Started by `Child`. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setInterval as every } from "node:timers/promises"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Redacted from "effect/Redacted"
import { report } from "./Child.ts"
import { token } from "./Token.ts"

/** Memory moves by megabytes in this time, not by tens of megabytes. */
const sampleMillis = 10

let peak = 0
const watch = async () => {
  for await (const _ of every(sampleMillis)) peak = Math.max(peak, process.memoryUsage.rss())
}
void watch()

/** The peak since the previous call. */
const takePeak = () => {
  const taken = Math.max(peak, process.memoryUsage.rss())
  peak = 0
  return taken
}

const [url = "", directory = ""] = process.argv.slice(2)
const { node } = await Limbeck.make({
  storage: StoragePostgres.layer({ url }),
  ...(directory === "" ? {} : { blobs: { directory } }),
  encryptionKeys: [Redacted.make(new Uint8Array(32))],
  // Pulls go to a server on this machine, which test mode allows.
  bootstrap: { liveToken: token, testToken: token.replace("live", "test") },
  settings: { rateLimit: null }
})
const server = createServer(node)
server.listen(0, "127.0.0.1", () =>
  report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => takePeak())
)
