/** A server of your own as an Effect program: the library's layer on the storage of your choice. `limbeck serve` has every setting. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as Bootstrap from "@limbeck/server/Bootstrap"
import * as Mounts from "@limbeck/server/Mounts"
import * as Server from "@limbeck/server/Server"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const { LIVE_TOKEN: liveToken = null, PORT = "8080" } = process.env

const serve = Effect.gen(function* () {
  yield* Bootstrap.run({ liveToken, testToken: null })
  const { app } = yield* Server.make
  const server = createServer(yield* Mounts.node(app))
  server.listen(Number(PORT), "127.0.0.1", () =>
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  return yield* Effect.never
})

const services = Assembly.layer({
  storage: StorageMemory.layer,
  encryptionKeys: [Redacted.make(crypto.getRandomValues(new Uint8Array(32)))]
})

NodeRuntime.runMain(Effect.provide(Effect.scoped(serve), services))
