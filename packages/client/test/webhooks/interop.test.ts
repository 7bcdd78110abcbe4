import { sign } from "@limbeck/core/signing/Signature"
import * as UndiciSender from "@limbeck/node/webhooks/UndiciSender"
import * as SignedRequest from "@limbeck/webhooks/delivery/SignedRequest"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import type { VerifiedEvent } from "../../src/webhooks/internal/receiver.ts"
import { receiver } from "../../src/webhooks/node.ts"
import { verify } from "../../src/webhooks/verify.ts"
import { listen } from "../support/Listening.ts"
import { body, event, hmac, now, seconds, secret } from "../support/Signed.ts"

const Signing = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
const Sending = UndiciSender.layer({ policy: { allowed: [] } })

const bytes = new TextEncoder().encode(body)

/** One delivery, signed and sent like the dispatcher's. */
const deliver = (url: string, secrets: ReadonlyArray<string>, text: string = body) =>
  Effect.gen(function* () {
    const sender = yield* WebhookSender
    const deliveryId = "del_1"
    const about = { url, livemode: false, event, deliveryId, now: now() }
    return yield* sender.send(yield* SignedRequest.make(SignedRequest.defaultBrand)({ ...about, secrets, body: text }))
  }).pipe(Effect.provide(Layer.merge(Signing, Sending)), Effect.runPromise)

describe("what our sender signs", () => {
  it("is what node:crypto computes, and verifies", async () => {
    const signature = await Effect.runPromise(
      sign({ body: bytes, secrets: [secret, "whsec_old"], timestampSeconds: seconds }).pipe(Effect.provide(Signing))
    )
    assert.strictEqual(signature, `t=${seconds},v1=${hmac()},v1=${hmac(body, "whsec_old")}`)
    for (const key of [secret, "whsec_old"]) {
      assert.deepStrictEqual(await verify(bytes, signature, key, { now }), { valid: true, event })
    }
  })

  it("arrives over HTTP, verified, with the ids of event and delivery", async () => {
    const received: Array<VerifiedEvent> = []
    const server = await listen(receiver({ secret, now, handler: (one) => received.push(one) }))
    const { error, statusCode } = await deliver(server.url, [secret])
    assert.deepStrictEqual([statusCode, error], [204, null])
    assert.deepStrictEqual(received, [{ event, eventId: event.id, deliveryId: "del_1" }])
  })

  it("arrives during a rotation, at receivers that know either secret", async () => {
    for (const known of ["whsec_new", "whsec_old"]) {
      const server = await listen(receiver({ secret: known, now, handler: () => {} }))
      assert.strictEqual((await deliver(server.url, ["whsec_new", "whsec_old"])).statusCode, 204)
    }
  })

  it("is refused by the receiver of another endpoint, and the delivery's history shows why", async () => {
    const server = await listen(receiver({ secret: "whsec_other", now, handler: () => {} }))
    const { bodySnippet, statusCode } = await deliver(server.url, [secret])
    assert.strictEqual(statusCode, 400)
    assert.match(bodySnippet, /no_match.*the secret is of another endpoint/)
  })

  it("fails, and so comes again, while the handler fails", async () => {
    const seen: Array<string> = []
    const handler = ({ eventId }: VerifiedEvent) => {
      seen.push(eventId)
      if (seen.length === 1) throw new Error("not now")
    }
    const server = await listen(receiver({ secret, now, handler, onError: () => {} }))
    assert.strictEqual((await deliver(server.url, [secret])).statusCode, 500)
    assert.strictEqual((await deliver(server.url, [secret])).statusCode, 204)
    assert.deepStrictEqual(seen, [event.id, event.id])
  })

  it("of a large event arrives whole", async () => {
    const large = JSON.stringify({ ...event, data: { object: { ...event.data.object, filler: "é".repeat(400_000) } } })
    const received: Array<VerifiedEvent> = []
    const server = await listen(receiver({ secret, now, handler: (one) => received.push(one) }))
    assert.strictEqual((await deliver(server.url, [secret], large)).statusCode, 204)
    assert.strictEqual(JSON.stringify(received[0]?.event), large)
  })
})
