// @effect-diagnostics globalFetchInEffect:off
/** The services that a request has: those that its routes name, the settings, and Effect's own. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as App from "../src/App.ts"
import * as Mounts from "../src/Mounts.ts"

/** A route that responds with the names of its services. */
const names = HttpRouter.route(
  "GET",
  "/names",
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.succeed(HttpServerResponse.jsonUnsafe([...context.mapUnsafe.keys()]))
  )
)

const server = Layer.build(
  Assembly.layer({ storage: StorageMemory.layer, encryptionKeys: [Redacted.make(new Uint8Array(32))] })
)

const ours = [
  "core/idempotency/IdempotentWrites",
  "core/ids/Ids",
  "core/people/Sessions",
  "core/storage/Patience",
  "core/tokens/Authentication",
  "server/ServerSettings",
  "server/http/BodyRoom",
  "server/http/Exchange",
  "server/http/RateLimiter"
].map((name) => `@limbeck/${name}`)

const oursIn = (text: string) => {
  const all: ReadonlyArray<string> = JSON.parse(text)
  return all.filter((name) => name.startsWith("@limbeck/") && name !== "@limbeck/server/http/ReadBody").sort()
}

describe("a request", () => {
  it.live("has none of a server's services but those that its routes name (P1001)", () =>
    Effect.gen(function* () {
      const services = yield* server
      const app = yield* Effect.provide(App.make([names]), services)
      const read = Mounts.fetch(app)
      const fetched = yield* Effect.promise(() => read(new Request("http://host.example/names")))
      assert.deepStrictEqual(oursIn(yield* Effect.promise(() => fetched.text())), ours)

      const listener = createServer(yield* Effect.provide(Mounts.node(app), services)).listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => listener.close().closeAllConnections()))
      yield* Effect.promise(() => once(listener, "listening"))
      const { port } = listener.address() as AddressInfo // It listens on a port.
      const answered = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/names`))
      assert.deepStrictEqual(oursIn(yield* Effect.promise(() => answered.text())), ours)
      assert.isAbove([...services.mapUnsafe.keys()].length, 80)
    }).pipe(Effect.scoped)
  )
})
