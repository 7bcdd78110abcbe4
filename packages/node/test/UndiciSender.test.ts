import type { Socket } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { HandClock } from "@limbeck/testing/fixtures/HandClock"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as UndiciSender from "../src/webhooks/UndiciSender.ts"
import * as Receivers from "./Receivers.ts"

/** Long enough to expire only by the test's clock: connecting is also timed by the real one. */
const attemptMillis = 60_000
const body = new TextEncoder().encode('{"id":"evt_1"}')

const request = (url: string, livemode = false) => ({ url, livemode, headers: { "service-event-id": "evt_1" }, body })

const layer = (options: Partial<UndiciSender.SenderOptions> = {}) =>
  UndiciSender.layer({ policy: { allowed: [] }, attemptMillis, ...options })

/** Sends one webhook while `clock` stands still, so that the attempt ends without its limit, or when the test moves it. */
const send = (url: string, options: Partial<UndiciSender.SenderOptions> = {}, clock = new HandClock()) =>
  Effect.flatMap(WebhookSender, (sender) => clock.timing(sender.send(request(url)))).pipe(
    Effect.provide(layer(options))
  )

const sendToRaw = (answer: (socket: Socket, request: string) => void) =>
  Effect.flatMap(Receivers.raw(answer), ({ url }) => send(url))

const head = (...lines: ReadonlyArray<string>) => `${lines.join("\r\n")}\r\n\r\n`

const encoded = (encoding: string, bytes: Buffer) =>
  Receivers.http((_, response) => void response.writeHead(200, { "content-encoding": encoding }).end(bytes))

describe("an answer", () => {
  it.live("is read to its end", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => void response.writeHead(201).end("thank you"))
      const result = yield* send(url)
      assert.deepStrictEqual(result, { statusCode: 201, bodySnippet: "thank you", durationMillis: 0, error: null })
    })
  )

  it.live("is timed from the beginning of the attempt to its last byte", () =>
    Effect.gen(function* () {
      const clock = new HandClock()
      const { url } = yield* Receivers.http((_, response) => {
        clock.pass(1_000)
        response.write("thank")
        // The sender has read this far and waits for the rest.
        response.write(" you", () => {
          clock.pass(234)
          response.end()
        })
      })
      assert.strictEqual((yield* send(url, {}, clock)).durationMillis, 1_234)
    })
  )

  it.live("without a body is an answer", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => void response.writeHead(204).end())
      assert.deepInclude(yield* send(url), { statusCode: 204, bodySnippet: "", error: null })
    })
  )

  it.live("that says 204 and claims to be compressed is an answer", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http(
        (_, response) => void response.writeHead(204, { "content-encoding": "gzip" }).end()
      )
      assert.deepInclude(yield* send(url), { statusCode: 204, bodySnippet: "", error: null })
    })
  )

  it.live("that ends with the connection is whole", () =>
    Effect.gen(function* () {
      const result = yield* sendToRaw((socket) => socket.end(`${head("HTTP/1.1 200 OK")}all there is`))
      assert.deepInclude(result, { statusCode: 200, bodySnippet: "all there is", error: null })
    })
  )

  it.live("that redirects is not followed", () =>
    Effect.gen(function* () {
      const target = yield* Receivers.http((_, response) => void response.end())
      const { url } = yield* Receivers.http(
        (_, response) => void response.writeHead(307, { location: target.url }).end("over there")
      )
      assert.deepInclude(yield* send(url), { statusCode: 307, bodySnippet: "over there", error: null })
      assert.strictEqual(target.connections(), 0)
    })
  )

  it.live("of 500 is told with its body", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => void response.writeHead(500).end("out of order"))
      assert.deepInclude(yield* send(url), { statusCode: 500, bodySnippet: "out of order", error: null })
    })
  )

  it.live("of 10 MB is cut, and a success", () =>
    Effect.gen(function* () {
      let written = 0
      const { closed, url } = yield* Receivers.http((_, response) => {
        response.writeHead(200, { "content-length": 10_000_000 })
        const more = () => {
          while (written < 10_000_000 && response.write("x".repeat(10_000))) written += 10_000
        }
        response.on("drain", more)
        more()
      })
      const { bodySnippet, error, statusCode } = yield* send(url)
      assert.deepStrictEqual([statusCode, error, bodySnippet], [200, null, "x".repeat(1024)])
      yield* Effect.promise(() => closed)
      assert.isBelow(written, 10_000_000)
    })
  )

  it.live("that never ends is cut, and a success", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => {
        const more = () => {
          while (!response.destroyed && response.write("y".repeat(16_384)));
        }
        response.on("drain", more)
        more()
      })
      assert.deepInclude(yield* send(url), { statusCode: 200, error: null })
    })
  )

  it.live("is kept up to 1 KiB, cut between characters", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => void response.end(`a${"é".repeat(2_000)}`))
      const { bodySnippet } = yield* send(url)
      assert.strictEqual(bodySnippet, `a${"é".repeat(511)}`)
    })
  )

  it.live("that is no text is kept as text that any storage takes", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => void response.end(Buffer.alloc(4_000, "\xff\0", "latin1")))
      const { bodySnippet } = yield* send(url)
      assert.match(bodySnippet, /^\ufffd+$/)
      assert.isAtMost(Buffer.byteLength(bodySnippet), 1024)
    })
  )
})

describe("a compressed answer", () => {
  const text = "compressed, then read"
  for (const [encoding, bytes] of [
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["GZIP", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", Buffer.from(text)],
    ["of-our-own", Buffer.from(text)]
  ] as const) {
    it.live(`by ${encoding} is read (${bytes.length} bytes)`, () =>
      Effect.gen(function* () {
        const { url } = yield* encoded(encoding, bytes)
        assert.deepInclude(yield* send(url), { statusCode: 200, bodySnippet: text, error: null })
      })
    )
  }

  const bomb = Buffer.alloc(200_000_000)
  for (const [encoding, bytes] of [
    ["gzip", gzipSync(bomb)],
    ["br", brotliCompressSync(bomb)]
  ] as const) {
    it.live(`that is a ${encoding} bomb is cut where it passes 64 KiB, and a success`, () =>
      Effect.gen(function* () {
        const { url } = yield* encoded(encoding, bytes)
        const before = process.memoryUsage().rss
        const { error, statusCode } = yield* send(url)
        assert.deepStrictEqual([statusCode, error], [200, null])
        assert.isBelow(process.memoryUsage().rss - before, 50_000_000)
      })
    )
  }

  it.live("that trickles in and has unpacked to 64 KiB is a success before it ends", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => {
        response.writeHead(200, { "content-encoding": "gzip" })
        response.write(gzipSync(Buffer.alloc(100_000)).subarray(0, -1))
      })
      assert.deepInclude(yield* send(url), { statusCode: 200, error: null })
    })
  )

  it.live("that never unpacks to anything is cut where its own bytes pass 64 KiB, and a success", () =>
    Effect.gen(function* () {
      const empty = gzipSync("")
      const { url } = yield* Receivers.http((_, response) => {
        response.writeHead(200, { "content-encoding": "gzip" })
        const many = Buffer.concat(Array.from({ length: 500 }, () => empty))
        const more = () => {
          while (!response.destroyed && response.write(many));
        }
        response.on("drain", more)
        more()
      })
      assert.deepInclude(yield* send(url), { statusCode: 200, bodySnippet: "", error: null })
    })
  )

  it.live("that is broken is an invalid response", () =>
    Effect.gen(function* () {
      const { url } = yield* encoded("gzip", Buffer.from("this is not gzip"))
      assert.deepInclude(yield* send(url), { statusCode: 200, error: "invalid_response" })
    })
  )

  it.live("that ends early is an invalid response", () =>
    Effect.gen(function* () {
      const { url } = yield* encoded("gzip", gzipSync(text).subarray(0, 12))
      assert.deepInclude(yield* send(url), { statusCode: 200, error: "invalid_response" })
    })
  )
})

describe("a receiver that is slow ends as a timeout", () => {
  it.live("when it never answers", () =>
    Effect.gen(function* () {
      const clock = new HandClock()
      const arrived = yield* Deferred.make<void>()
      const { closed, url } = yield* Receivers.raw(() => Deferred.doneUnsafe(arrived, Effect.void))
      const sending = yield* Effect.forkChild(send(url, {}, clock))
      yield* Deferred.await(arrived)
      clock.pass(attemptMillis - 1)
      yield* Effect.promise(() => turn())
      assert.isUndefined(sending.pollUnsafe())
      clock.pass(1)
      const result = yield* Fiber.join(sending)
      const durationMillis = attemptMillis
      assert.deepStrictEqual(result, { statusCode: null, bodySnippet: "", durationMillis, error: "timeout" })
      yield* Effect.promise(() => closed)
    })
  )

  it.live("each when its own time is over, whoever began before it and has ended since (P452)", () =>
    Effect.gen(function* () {
      const clock = new HandClock()
      const arrived = yield* Latch.make()
      const answering = yield* Receivers.http((_, response) => void response.end("ok"))
      const hanging = yield* Receivers.raw(() => arrived.openUnsafe())
      const sender = yield* WebhookSender
      const sendBy = (url: string) => clock.timing(sender.send(request(url)))
      const sent = Effect.fnUntraced(function* () {
        const sending = yield* Effect.forkChild(sendBy(hanging.url))
        yield* arrived.await
        yield* arrived.close
        clock.pass(1_000)
        return sending
      })
      const first = yield* sent()
      assert.deepInclude(yield* sendBy(answering.url), { statusCode: 200 })
      const second = yield* sent()
      clock.pass(attemptMillis - 2_000)
      assert.deepInclude(yield* Fiber.join(first), { durationMillis: attemptMillis, error: "timeout" })
      yield* Effect.promise(() => turn())
      assert.isUndefined(second.pollUnsafe())
      clock.pass(1_000)
      assert.deepInclude(yield* Fiber.join(second), { durationMillis: attemptMillis, error: "timeout" })
    }).pipe(Effect.provide(layer()))
  )

  it.live("when the host name cannot be looked up in time", () =>
    Effect.gen(function* () {
      const clock = new HandClock()
      const resolve = () => {
        // The attempt's limit begins to count after this call.
        setImmediate(() => clock.pass(attemptMillis))
        return new Promise<never>(() => {})
      }
      const result = yield* send("https://slow.example/", { resolve }, clock)
      assert.deepInclude(result, { statusCode: null, durationMillis: attemptMillis, error: "timeout" })
    })
  )
})

// More of what receivers do: hostile/Behaviours.ts.
describe("a receiver that breaks off", () => {
  it.live("resets within its body: connection_reset, with what came before", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => {
        response.writeHead(200, { "content-length": 9 })
        response.write("abc", () => response.socket?.resetAndDestroy())
      })
      const { error } = yield* send(url)
      assert.strictEqual(error, "connection_reset")
    })
  )

  it.live("does not listen: connection_refused", () =>
    Effect.gen(function* () {
      // A port that the system never assigns by itself, unlike a port just closed.
      const port = 2
      assert.deepInclude(yield* send(`http://127.0.0.1:${port}/`), { statusCode: null, error: "connection_refused" })
      assert.deepInclude(yield* send(`http://localhost:${port}/`), { statusCode: null, error: "connection_refused" })
      assert.deepInclude(yield* send(`https://localhost:${port}/`), { statusCode: null, error: "connection_refused" })
    })
  )
})

describe("a request", () => {
  it.live("is the body and the headers given, and nothing that tells of the sender", () =>
    Effect.gen(function* () {
      let seen = ""
      const { port } = yield* Receivers.raw((socket, bytes) => {
        seen = bytes
        socket.end(head("HTTP/1.1 200 OK", "Content-Length: 0"))
      })
      yield* send(`http://user:secret@127.0.0.1:${port}/hook?a=b%20c#part`)
      const [start, ...lines] = seen.split("\r\n")
      assert.strictEqual(start, "POST /hook?a=b%20c HTTP/1.1")
      assert.deepStrictEqual(lines.slice(0, lines.indexOf("")).sort(), [
        "connection: keep-alive",
        `content-length: ${body.length}`,
        `host: 127.0.0.1:${port}`,
        "service-event-id: evt_1"
      ])
      assert.strictEqual(lines.at(-1), new TextDecoder().decode(body))
    })
  )

  it.live("reuses a connection", () =>
    Effect.gen(function* () {
      const { connections, url } = yield* Receivers.http((_, response) => void response.end("ok"))
      const sender = yield* WebhookSender
      yield* Effect.repeat(sender.send(request(url)), { times: 9 })
      // A connection is free one turn of the event loop after its response, so that two take turns.
      assert.isAtMost(connections(), 2)
    }).pipe(Effect.provide(layer()))
  )

  it.live("is broken off when its sender is interrupted", () =>
    Effect.gen(function* () {
      let arrived = () => {}
      const begun = new Promise<void>((resolve) => {
        arrived = resolve
      })
      const { closed, url } = yield* Receivers.raw(() => arrived())
      const sender = yield* WebhookSender
      const fiber = yield* Effect.forkChild(sender.send(request(url)))
      yield* Effect.promise(() => begun)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed)
    }).pipe(Effect.provide(layer()))
  )

  it.live("that was given up while its host was looked up is never sent", () =>
    Effect.gen(function* () {
      let answer = (_: ReadonlyArray<string>) => {}
      const resolve = () =>
        new Promise<ReadonlyArray<string>>((resolve) => {
          answer = resolve
        })
      let requests = 0
      const late = yield* Receivers.raw(() => {
        requests += 1
      })
      const { error } = yield* Effect.gen(function* () {
        const sender = yield* WebhookSender
        const result = yield* sender.send(request(`http://late.example:${late.port}/`))
        answer(["127.0.0.1"])
        // The connection is made, and closed without a request.
        yield* Effect.promise(() => late.closed)
        return result
      }).pipe(Effect.provide(layer({ attemptMillis: 50, resolve })))
      assert.deepStrictEqual([error, requests], ["timeout", 0])
    })
  )

  it.live("to what is no web address fails in a word", () =>
    Effect.gen(function* () {
      for (const url of ["nonsense", "ftp://example.com/", "file:///etc/passwd", ""]) {
        assert.deepInclude(yield* send(url), { statusCode: null, error: "invalid_url" })
      }
    })
  )

  it.live("with a header that cannot be sent fails in a word", () =>
    Effect.gen(function* () {
      const { url } = yield* Receivers.http((_, response) => void response.end())
      const sender = yield* WebhookSender
      const result = yield* sender.send({ ...request(url), headers: { "x-split": "a\r\nb: c" } })
      assert.deepInclude(result, { statusCode: null, error: "invalid_request" })
    }).pipe(Effect.provide(layer()))
  )

  it.live("of many at once all come back, and those whose time is over at once need one sleep (P473)", () =>
    Effect.gen(function* () {
      const clock = new HandClock()
      const { sleep } = clock
      let sleeps = 0
      clock.sleep = (duration) => {
        sleeps += 1
        return sleep(duration)
      }
      const settled = yield* Latch.make()
      let left = 200
      const count = Effect.suspend(() => (--left === 0 ? settled.open : Effect.void))
      const { url } = yield* Receivers.http((_, response) => void response.end("ok"))
      const hanging = yield* Receivers.raw(() => Effect.runSync(count))
      const sender = yield* WebhookSender
      const sending = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 200 }, (_, n) =>
            n % 2 === 0 ? Effect.tap(sender.send(request(url)), count) : sender.send(request(hanging.url))
          ),
          { concurrency: "unbounded" }
        ).pipe(clock.timing)
      )
      // A hundred have their answer, and a hundred wait for it.
      yield* settled.await
      clock.pass(attemptMillis)
      const ends = (yield* Fiber.join(sending)).map(({ durationMillis, error }) => [durationMillis, error])
      assert.deepStrictEqual(
        ends,
        ends.map((_, n) => (n % 2 === 0 ? [0, null] : [attemptMillis, "timeout"]))
      )
      assert.strictEqual(sleeps, 1)
    }).pipe(Effect.provide(layer()))
  )
})
