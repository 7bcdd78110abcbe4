import { assert, layer } from "@effect/vitest"
import { hmac, isSigned } from "@limbeck/testing/fixtures/Signatures"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { keyOf, sign } from "../../src/signing/Signature.ts"

const Live = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))

const body = new TextEncoder().encode('{"id":"evt_1"}')
const secret = "whsec_test"
const timestampSeconds = 1_700_000_000

const good = hmac(timestampSeconds, secret, body)
layer(Live)("a signature", (it) => {
  it.effect("is the one that other programs compute", () =>
    Effect.gen(function* () {
      // By Python's hmac module.
      const known = "c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925"
      assert.strictEqual(good, known)
      assert.strictEqual(yield* sign({ body, secrets: [secret], timestampSeconds }), `t=1700000000,v1=${known}`)
    })
  )

  it.effect("is the same by a key that was made of the secret before", () =>
    Effect.gen(function* () {
      const key = yield* keyOf(secret)
      for (const bytes of [body, new Uint8Array(), body]) {
        const [byKey, byText] = [[key], [secret]].map((secrets) => sign({ body: bytes, secrets, timestampSeconds }))
        assert.strictEqual(yield* byKey!, yield* byText!)
      }
    })
  )

  it.effect("stands for the old and the new secret while they overlap, the newest first", () =>
    Effect.gen(function* () {
      const both = yield* sign({ body, secrets: ["whsec_new", "whsec_old"], timestampSeconds })
      const [newest, old] = ["whsec_new", "whsec_old"].map((key) => hmac(timestampSeconds, key, body))
      assert.strictEqual(both, `t=1700000000,v1=${newest},v1=${old}`)
      for (const key of ["whsec_new", "whsec_old"]) {
        assert.isTrue(isSigned(both, key, body))
      }
      assert.isFalse(isSigned(both, "whsec_older", body))
    })
  )

  it.effect.prop(
    "of any body and secret is accepted by a stock verifier, for this body and secret alone (P20)",
    [Schema.Uint8Array, Schema.NonEmptyString],
    ([bytes, key]) =>
      Effect.gen(function* () {
        const made = yield* sign({ body: bytes, secrets: [key], timestampSeconds })
        assert.isTrue(isSigned(made, key, bytes))
        assert.isFalse(isSigned(made, `${key}x`, bytes))
        assert.isFalse(isSigned(made, key, Uint8Array.from([...bytes, 0])))
      })
  )

  it.effect("covers bytes that are no text as they are", () =>
    Effect.gen(function* () {
      const bytes = Uint8Array.of(0xff, 0x00, 0xfe, 0x0d, 0x0a)
      const made = yield* sign({ body: bytes, secrets: [secret], timestampSeconds })
      assert.strictEqual(made, `t=${timestampSeconds},v1=${hmac(timestampSeconds, secret, bytes)}`)
    })
  )
})
