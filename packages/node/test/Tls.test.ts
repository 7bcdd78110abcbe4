import { assert, describe, it } from "@effect/vitest"
import { selfSigned } from "@limbeck/testing/fixtures/Certificate"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Effect from "effect/Effect"
import * as UndiciSender from "../src/webhooks/UndiciSender.ts"
import * as Receivers from "./Receivers.ts"

const certificate = selfSigned("hooks.example")

const send = (url: string, options: Partial<UndiciSender.SenderOptions> = {}) =>
  Effect.flatMap(WebhookSender, (sender) =>
    sender.send({ url, livemode: false, headers: {}, body: new Uint8Array(2) })
  ).pipe(
    Effect.provide(
      UndiciSender.layer({
        policy: { allowed: [] },
        attemptMillis: 10_000,
        resolve: () => Promise.resolve(["127.0.0.1"]),
        ...options
      })
    )
  )

describe("a receiver over TLS", () => {
  it.live("is asked for by its name, and believed when its certificate is trusted and names it", () =>
    Effect.gen(function* () {
      const names: Array<string | false | null> = []
      const { port } = yield* Receivers.tls(certificate, (name) => names.push(name))
      const result = yield* send(`https://hooks.example:${port}/`, { ca: certificate.cert })
      assert.deepInclude(result, { statusCode: 200, bodySnippet: "ok", error: null })
      assert.deepStrictEqual(names, ["hooks.example"])
    })
  )

  const refused: ReadonlyArray<readonly [string, (port: number) => string, Partial<UndiciSender.SenderOptions>]> = [
    ["signed by itself", (port) => `https://hooks.example:${port}/`, {}],
    ["of another host", (port) => `https://other.example:${port}/`, { ca: certificate.cert }],
    ["that does not name the address asked for", (port) => `https://127.0.0.1:${port}/`, { ca: certificate.cert }]
  ]
  for (const [what, url, options] of refused) {
    it.live(`with a certificate ${what} is a tls_failure`, () =>
      Effect.gen(function* () {
        const { port } = yield* Receivers.tls(certificate)
        assert.deepInclude(yield* send(url(port), options), { statusCode: null, error: "tls_failure" })
      })
    )
  }

  it.live("that speaks plain HTTP is a tls_failure", () =>
    Effect.gen(function* () {
      const { port } = yield* Receivers.http((_, response) => void response.end())
      assert.deepInclude(yield* send(`https://hooks.example:${port}/`), { statusCode: null, error: "tls_failure" })
    })
  )

  it.live("that knows only old protocols is a tls_failure", () =>
    Effect.gen(function* () {
      const { port } = yield* Receivers.tls({ ...certificate, maxVersion: "TLSv1.1", minVersion: "TLSv1" })
      const result = yield* send(`https://hooks.example:${port}/`, { ca: certificate.cert })
      assert.deepInclude(result, { statusCode: null, error: "tls_failure" })
    })
  )

  it.live("that does not speak HTTP 2 when it could is spoken to in HTTP 1.1", () =>
    Effect.gen(function* () {
      const { port } = yield* Receivers.tls({ ...certificate, ALPNProtocols: ["h2", "http/1.1"] })
      const result = yield* send(`https://hooks.example:${port}/`, { ca: certificate.cert })
      assert.deepInclude(result, { statusCode: 200, error: null })
    })
  )

  it.live("that hangs up within the handshake is a connection_reset", () =>
    Effect.gen(function* () {
      const { port } = yield* Receivers.raw((socket) => void socket.end())
      assert.deepInclude(yield* send(`https://hooks.example:${port}/`), { statusCode: null, error: "connection_reset" })
    })
  )
})
