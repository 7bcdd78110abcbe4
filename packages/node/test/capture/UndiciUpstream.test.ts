/** The upstream port on real connections. The proxy's tests cover its effects over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Upstream, type UpstreamRequest } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as UndiciUpstream from "../../src/capture/UndiciUpstream.ts"
import * as Receivers from "../Receivers.ts"

const open = (url: string, fields: Partial<UpstreamRequest> = {}) =>
  Effect.flatMap(Upstream, (upstream) =>
    upstream.open({ livemode: false, method: "GET", url, headers: {}, body: null, timeoutMillis: 10_000, ...fields })
  )

const layer = UndiciUpstream.layer({ policy: { allowed: [] } })

const reasonOf = (url: string, fields: Partial<UpstreamRequest> = {}) =>
  Effect.map(Effect.flip(open(url, fields)), ({ reason }) => reason)

const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"

describe("an upstream", () => {
  it.live("is answered for by its head, and then by its body", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => {
        response.writeHead(429, { "X-Twice": ["a", "b"], "content-type": "text/plain" }).end("slow down")
      })
      const answer = yield* open(url, { method: "POST", body: new TextEncoder().encode("hello") })
      assert.strictEqual(answer.status, 429)
      assert.deepInclude<object>(answer.headers, { "x-twice": "a, b", "content-type": "text/plain" })
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(Body.toStream(answer.body))), "slow down")
    }).pipe(Effect.provide(layer))
  )

  it.live("whose answer is longer than any webhook's is read to its end", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => void response.end(Buffer.alloc(3_000_000)))
      const { body } = yield* open(url)
      const length = yield* Stream.runFold(
        Body.toStream(body),
        () => 0,
        (sum, chunk) => sum + chunk.length
      )
      assert.strictEqual(length, 3_000_000)
    }).pipe(Effect.provide(layer))
  )

  it.live("that fails says how, in one word", () =>
    Effect.gen(function* () {
      const silent = yield* Receivers.http(() => {})
      const rude = yield* Receivers.raw((socket) => void socket.destroy())
      const other = yield* Receivers.raw((socket) => void socket.end("SSH-2.0-OpenSSH\r\n"))
      const interims = yield* Receivers.raw(
        (socket) => void socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(200))
      )
      assert.strictEqual(yield* reasonOf(silent.url, { timeoutMillis: 300 }), "timeout")
      assert.strictEqual(yield* reasonOf(rude.url), "connection_reset")
      assert.strictEqual(yield* reasonOf(other.url), "invalid_response")
      assert.strictEqual(yield* reasonOf(interims.url), "invalid_response")
      assert.strictEqual(yield* reasonOf(silent.url, { livemode: true }), "blocked_address")
      assert.strictEqual(yield* reasonOf("http://169.254.169.254/latest"), "blocked_address")
      assert.strictEqual(yield* reasonOf(silent.url, { headers: { authorization: "a\nb" } }), "invalid_request")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("that breaks off, or falls silent, fails its body after what came", () =>
    Effect.gen(function* () {
      const broken = yield* Receivers.raw((socket) => {
        socket.end(`${head}content-length: 10\r\n\r\nabc`)
      })
      const silent = yield* Receivers.raw((socket) => void socket.write(`${head}content-length: 10\r\n\r\nabc`))
      for (const [{ url }, reason] of [
        [broken, "connection_reset"],
        [silent, "timeout"]
      ] as const) {
        const seen: Array<string> = []
        const { body } = yield* open(url, { timeoutMillis: 1_000 })
        const taken = Stream.runForEach(Stream.decodeText(Body.toStream(body)), (text) =>
          Effect.sync(() => void seen.push(text))
        )
        const failure = yield* Effect.flip(taken)
        assert.strictEqual(failure.reason, reason)
        assert.strictEqual(seen.join(""), "abc")
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is let go when nobody waits any more, before the head and after", () =>
    Effect.gen(function* () {
      const silent = yield* Receivers.http(() => {})
      const waiting = yield* Effect.forkChild(Effect.scoped(open(silent.url, { timeoutMillis: 60_000 })))
      while (silent.connections() === 0) yield* Effect.promise(() => new Promise(setImmediate))
      yield* Fiber.interrupt(waiting)
      yield* Effect.promise(() => silent.closed)
      const talking = yield* Receivers.http((_, response) => void response.write("first"))
      yield* Effect.scoped(open(talking.url))
      yield* Effect.promise(() => talking.closed)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
