import { assert, describe, it } from "@effect/vitest"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Effect from "effect/Effect"
import * as IpNetwork from "effect/net/IpNetwork"
import type { Resolve } from "../src/egress/internal/Resolve.ts"
import * as UndiciSender from "../src/webhooks/UndiciSender.ts"
import * as Receivers from "./Receivers.ts"

const layer = (options: Partial<UndiciSender.SenderOptions> = {}) =>
  UndiciSender.layer({ policy: { allowed: [] }, attemptMillis: 10_000, ...options })

const attempt = (url: string, livemode: boolean) =>
  Effect.flatMap(WebhookSender, (sender) => sender.send({ url, livemode, headers: {}, body: new Uint8Array(2) }))

const send = (url: string, livemode: boolean, options?: Partial<UndiciSender.SenderOptions>) =>
  Effect.provide(attempt(url, livemode), layer(options))

const answering = (...addresses: ReadonlyArray<string>): Resolve => {
  return () => Promise.resolve(addresses)
}

/** A receiver on this machine that responds ok, and counts requests. */
const receiver = Receivers.http((_, response) => void response.end("ok"))

describe("in live mode", () => {
  // More spellings, names and answers: egress/Corpus.test.ts.
  const spellings = ["127.0.0.1", "2130706433", "127.0.0.1.", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0"]
  for (const host of spellings) {
    it.live(`this machine is out of reach as ${host}`, () =>
      Effect.gen(function* () {
        const { connections, port } = yield* receiver
        const result = yield* send(`http://${host}:${port}/`, true)
        assert.deepInclude(result, { statusCode: null, bodySnippet: "", error: "blocked_address" })
        assert.strictEqual(connections(), 0)
      })
    )
  }

  it.live("what the operator allows is reached, and only that", () =>
    Effect.gen(function* () {
      const { port, url } = yield* receiver
      const policy = { allowed: [IpNetwork.fromStringUnsafe("127.0.0.0/30")] }
      assert.deepInclude(yield* send(url, true, { policy }), { statusCode: 200, error: null })
      assert.deepInclude(yield* send(`http://127.0.0.4:${port}/`, true, { policy }), { error: "blocked_address" })
      assert.deepInclude(yield* send(`http://[::1]:${port}/`, true, { policy }), { error: "blocked_address" })
    })
  )
})

describe("in test mode", () => {
  for (const host of ["127.0.0.1", "localhost", "hooks.localhost"]) {
    it.live(`this machine is reached as ${host}`, () =>
      Effect.gen(function* () {
        const { port } = yield* receiver
        assert.deepInclude(yield* send(`http://${host}:${port}/`, false), {
          statusCode: 200,
          bodySnippet: "ok",
          error: null
        })
      })
    )
  }

  it.live("localhost is reached by IPv6 where nothing listens on IPv4", () =>
    Effect.gen(function* () {
      const { port } = yield* Receivers.http((_, response) => void response.end("six"), "::1")
      assert.deepInclude(yield* send(`http://localhost:${port}/`, false), { bodySnippet: "six", error: null })
    })
  )
})

describe("a host name", () => {
  it.live("with one refused address among good ones is refused (P22)", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* receiver
      for (const mixed of [
        ["127.0.0.1", "10.0.0.1"],
        ["10.0.0.1", "127.0.0.1"],
        ["127.0.0.1", "fd00::1"],
        ["127.0.0.1", "not an address"]
      ]) {
        const result = yield* send(`http://mixed.example:${port}/`, false, { resolve: answering(...mixed) })
        assert.deepInclude(result, { statusCode: null, error: "blocked_address" })
      }
      assert.strictEqual(connections(), 0)
    })
  )

  it.live("without an address, or whose look-up fails, is a dns_failure", () =>
    Effect.gen(function* () {
      for (const resolve of [answering(), () => Promise.reject(new Error("no answer"))]) {
        const result = yield* send("https://nobody.example/", true, { resolve })
        assert.deepInclude(result, { statusCode: null, error: "dns_failure" })
      }
    })
  )

  it.live("is asked for once per connection, and the address that was checked is the one that is used (P22)", () =>
    Effect.gen(function* () {
      let host: string | undefined
      let local: string | undefined
      const { port } = yield* Receivers.http((request, response) => {
        host = request.headers.host
        local = request.socket.localAddress
        response.end("ok")
      }, "127.0.0.2")
      const answers = [["127.0.0.2"], ["127.0.0.1"]]
      let asked = 0
      const resolve = () => Promise.resolve(answers[asked++] ?? [])
      const result = yield* send(`http://rebinding.example:${port}/`, false, { resolve })
      assert.deepInclude(result, { statusCode: 200, error: null })
      assert.deepStrictEqual([asked, local, host], [1, "127.0.0.2", `rebinding.example:${port}`])
    })
  )

  it.live("that answers otherwise later is refused at the next connection (P22)", () =>
    Effect.gen(function* () {
      const { port } = yield* Receivers.http((_, response) => void response.setHeader("connection", "close").end("ok"))
      const answers = [["127.0.0.1"], ["192.168.0.1"]]
      let asked = 0
      const resolve = () => Promise.resolve(answers[asked++] ?? [])
      const [first, second] = yield* Effect.all([
        attempt(`http://rebinding.example:${port}/`, false),
        attempt(`http://rebinding.example:${port}/`, false)
      ]).pipe(Effect.provide(layer({ resolve })))
      assert.deepStrictEqual([first.error, second.error], [null, "blocked_address"])
    })
  )

  it.live(
    "that answers otherwise later is refused once the kept connections are too old, also under steady traffic",
    () =>
      Effect.gen(function* () {
        const { port } = yield* receiver
        let address = "127.0.0.1"
        const url = `http://moving.example:${port}/`
        yield* Effect.gen(function* () {
          assert.deepInclude(yield* attempt(url, false), { error: null })
          address = "192.168.0.1"
          yield* Effect.repeat(attempt(url, false), { until: ({ error }) => error === "blocked_address" })
        }).pipe(Effect.provide(layer({ resolve: () => Promise.resolve([address]), connectionMillisMax: 50 })))
      })
  )

  it.live("that is reached in test mode is no way in for live mode", () =>
    Effect.gen(function* () {
      const { connections, url } = yield* receiver
      const results = yield* Effect.all([attempt(url, false), attempt(url, true)]).pipe(Effect.provide(layer()))
      assert.deepStrictEqual(
        results.map(({ error }) => error),
        [null, "blocked_address"]
      )
      assert.strictEqual(connections(), 1)
    })
  )
})
