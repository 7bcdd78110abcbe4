/** Time limits of a body: for any mount, by a clock that the test moves; for node:http, by its own timer. */
import { once } from "node:events"
import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as TestClock from "effect/testing/TestClock"
import * as Body from "../src/http/internal/Body.ts"
import * as NodeBody from "../src/http/internal/NodeBody.ts"
import { Limits } from "../src/internal/Limits.ts"

/** A body whose pieces the test sends, and its reading. */
const reading = Effect.gen(function* () {
  let send = (_piece: string) => {}
  let end = () => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = (piece) => controller.enqueue(new TextEncoder().encode(piece))
      end = () => controller.close()
    }
  })
  let heard = yield* Deferred.make<void>()
  const request = HttpServerRequest.fromWeb(
    new Request("http://host.example/", { method: "POST", body, duplex: "half" } as RequestInit)
  )
  const fiber = yield* Effect.forkChild(
    Effect.flatMap(Body.ReadBody, ({ read }) =>
      read(request, () => {
        Deferred.doneUnsafe(heard, Effect.void)
        return undefined
      })
    )
  )
  /** Sends a piece, and waits for its arrival. */
  const piece = Effect.gen(function* () {
    heard = yield* Deferred.make<void>()
    send("x")
    yield* Deferred.await(heard)
  })
  return { fiber, piece, end }
})

it.effect("a body that stands still for 30 seconds is given up", () =>
  Effect.gen(function* () {
    const { fiber, piece } = yield* reading
    yield* piece
    yield* TestClock.adjust(Limits.bodyIdleMillisMax - 1)
    yield* piece
    yield* TestClock.adjust(Limits.bodyIdleMillisMax - 1)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(1)
    const error = yield* Effect.flip(Fiber.join(fiber))
    assert.deepInclude(error, { _tag: "RequestTimeout", fault: "idle", seconds: 30 })
  })
)

it.effect("a body that comes drop by drop is given up after 5 minutes (P127)", () =>
  Effect.gen(function* () {
    const { fiber, piece } = yield* reading
    yield* piece
    for (let passed = 20_000; passed < Limits.bodyMillisMax; passed += 20_000) {
      yield* TestClock.adjust(20_000)
      yield* piece
    }
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(20_000)
    const error = yield* Effect.flip(Fiber.join(fiber))
    assert.deepInclude(error, { _tag: "RequestTimeout", fault: "incomplete", seconds: 300 })
  })
)

it.effect("a body that is slow, but in time, is read whole", () =>
  Effect.gen(function* () {
    const { end, fiber, piece } = yield* reading
    for (let pieces = 0; pieces < 5; pieces++) {
      yield* piece
      yield* TestClock.adjust(Limits.bodyIdleMillisMax - 1)
    }
    end()
    assert.strictEqual(new TextDecoder().decode(yield* Fiber.join(fiber)), "xxxxx")
  })
)

/** The outcome of a body sent to node:http piece by piece, within these times. */
const sent = (times: Body.ReadTimes, send: (write: (piece: string) => void, end: () => void) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const read = yield* Deferred.make<Uint8Array, Body.BodyError>()
    const app = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.as(
        Deferred.into(
          NodeBody.make(times).read(request, () => undefined),
          read
        ),
        HttpServerResponse.empty()
      )
    )
    const server = createServer(yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope }))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
    )
    server.listen(0, "127.0.0.1")
    yield* Effect.promise(() => once(server, "listening"))
    const { port } = server.address() as AddressInfo
    const client = httpRequest({ port, host: "127.0.0.1", method: "POST" }).on("error", () => {})
    yield* Effect.forkScoped(
      send(
        (piece) => client.write(piece),
        () => client.end()
      )
    )
    return yield* Deferred.await(read)
  })

const hour = 3_600_000

it.live("node:http: a body that stands still is given up", () =>
  Effect.gen(function* () {
    const stop = sent({ idleMax: 20, wholeMax: hour }, (write) => Effect.sync(() => write("x")))
    assert.deepInclude(yield* Effect.flip(stop), { _tag: "RequestTimeout", fault: "idle", seconds: 0.02 })
  }).pipe(Effect.scoped)
)

it.live("node:http: a body that comes drop by drop is given up (P127)", () =>
  Effect.gen(function* () {
    const drops = sent({ idleMax: hour, wholeMax: 50 }, (write) =>
      Effect.forever(
        Effect.andThen(
          Effect.sync(() => write("x")),
          Effect.sleep(5)
        )
      )
    )
    assert.deepInclude(yield* Effect.flip(drops), { _tag: "RequestTimeout", fault: "incomplete", seconds: 0.05 })
  }).pipe(Effect.scoped)
)

it.live("node:http: a body that is in time is read whole, whatever its pieces", () =>
  Effect.gen(function* () {
    const pieces = sent({ idleMax: hour, wholeMax: hour }, (write, end) =>
      Effect.gen(function* () {
        for (let piece = 0; piece < 5; piece++) {
          write("x")
          yield* Effect.sleep(1)
        }
        end()
      })
    )
    assert.strictEqual(new TextDecoder().decode(yield* pieces), "xxxxx")
  }).pipe(Effect.scoped)
)
