/** Remote content is read over real connections, whatever its size, and no further than it may. */
import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Remote } from "@limbeck/distill/connector/Remote"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as UndiciRemote from "../../src/connector/UndiciRemote.ts"
import * as Receivers from "../Receivers.ts"

const withRemote = (options: Partial<UndiciRemote.RemoteOptions> = {}) =>
  Effect.provide(UndiciRemote.layer({ policy: { allowed: [] }, ...options }))

const get = (url: string, livemode = false, headers = {}) =>
  Effect.flatMap(Remote, (remote) => remote.get({ url, livemode, headers }))

const reasonOf = (url: string, livemode = false) =>
  Effect.match(Effect.scoped(Effect.flatMap(get(url, livemode), ({ body }) => Stream.runDrain(body))), {
    onFailure: ({ reason }) => reason,
    onSuccess: () => "none"
  })

const mebibyte = new Uint8Array(1024 ** 2).fill(97)

describe("a remote content", () => {
  it.live("comes whole, with its head, however long it is", () =>
    Effect.gen(function* () {
      const asked: Array<string | undefined> = []
      const { url } = yield* Receivers.http((request, response) => {
        asked.push(
          request.headers["user-agent"],
          request.headers["accept-encoding"]?.toString(),
          String(request.headers["x-key"])
        )
        response.writeHead(206, { ETag: '"one"', "Set-Cookie": ["a=1", "b=2"] })
        for (let sent = 0; sent < 8; sent++) response.write(mebibyte)
        response.end()
      })
      const { body, headers, statusCode } = yield* get(url, false, { "x-key": "k" })
      assert.strictEqual(statusCode, 206)
      assert.deepInclude(headers, { etag: '"one"', "set-cookie": "a=1" })
      const bytes = yield* Stream.runFold(
        body,
        () => 0,
        (sum, chunk) => sum + chunk.length
      )
      assert.strictEqual(bytes, 8 * mebibyte.length)
      assert.deepStrictEqual(asked, ["Brand-Connector/1.0", "identity", "k"])
    }).pipe(withRemote({ brand: "Brand" }))
  )

  it.live("is not read ahead of who reads it, and is broken off with its scope", () =>
    Effect.gen(function* () {
      let written = 0
      const remote = yield* Receivers.http((_, response) => {
        const more = () => {
          while (written < 512 && !response.destroyed) {
            written += 1
            if (!response.write(mebibyte)) return void response.once("drain", more)
          }
        }
        more()
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { body } = yield* get(remote.url)
          yield* Stream.runDrain(Stream.take(body, 1))
          // Until the receiver takes nothing more for many turns of the event loop.
          for (let seen = 0, still = 0; still < 50; still++) {
            yield* Effect.promise(() => turn())
            if (written > seen) [seen, still] = [written, 0]
          }
        })
      )
      yield* Effect.promise(() => remote.closed)
      assert.isBelow(written, 64)
    }).pipe(withRemote())
  )

  it.live("that breaks off, stalls, or does not begin is an error that says so", () =>
    Effect.gen(function* () {
      const breaking = yield* Receivers.http((_, response) => {
        response.writeHead(200, { "content-length": 100 })
        response.write("half", () => void setImmediate(() => response.destroy()))
      })
      assert.strictEqual(yield* reasonOf(breaking.url), "connection_reset")
      assert.strictEqual(yield* reasonOf("http://127.0.0.1:1/"), "connection_refused")
      assert.strictEqual(yield* reasonOf("ftp://127.0.0.1/"), "invalid_url")
      const stalling = yield* Receivers.http((_, response) => void response.write("half"))
      assert.strictEqual(yield* reasonOf(stalling.url).pipe(withRemote({ idleMillis: 300 })), "timeout")
      const silent = yield* Receivers.http(() => {})
      assert.strictEqual(yield* reasonOf(silent.url).pipe(withRemote({ headMillis: 300 })), "timeout")
    }).pipe(withRemote())
  )

  it.live("is not asked for where the guard says no, nor where a redirect leads", () =>
    Effect.gen(function* () {
      const remote = yield* Receivers.http((_, response) => void response.writeHead(302, { location: "/other" }).end())
      assert.strictEqual(yield* reasonOf(remote.url.replace("http:", "https:"), true), "blocked_address")
      assert.strictEqual(yield* reasonOf(remote.url, true), "insecure_url")
      assert.strictEqual(yield* reasonOf("http://169.254.169.254/latest"), "blocked_address")
      assert.strictEqual(remote.connections(), 0)
      assert.strictEqual((yield* get(remote.url)).statusCode, 302)
      assert.strictEqual(remote.connections(), 1)
    }).pipe(withRemote())
  )
})
