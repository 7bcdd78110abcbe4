/** How long a body may take, by a clock that stands still unless it is moved. */
import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as TestClock from "effect/testing/TestClock"
import * as Body from "../src/http/internal/Body.ts"
import { Limits } from "../src/internal/Limits.ts"

/** A body whose pieces come when the test sends them, and its reading. */
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
    Body.read(request, () => {
      Deferred.doneUnsafe(heard, Effect.void)
      return undefined
    })
  )
  /** Sends a piece, and waits until it has come. */
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
