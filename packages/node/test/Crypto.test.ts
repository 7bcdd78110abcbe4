import { assert, layer } from "@effect/vitest"
import * as Aead from "effect/crypto/Aead"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Crypto from "../src/Crypto.ts"

const text = new TextEncoder().encode("what a delivery needs")
const aad = new TextEncoder().encode("context")
const webCrypto = Aead.layerWebCrypto.pipe(Layer.provide(Crypto.layer))

layer(Crypto.layer)("Crypto", (it) => {
  it.effect("signs and digests as published vectors say", () =>
    Effect.gen(function* () {
      const mac = yield* Mac.Mac
      // RFC 4231, test case 2.
      const key = yield* Mac.key(Mac.hmacSha256, new TextEncoder().encode("Jefe"))
      const tag = yield* mac.sign(key, new TextEncoder().encode("what do ya want for nothing?"))
      assert.strictEqual(Hex.encode(tag), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
      const digest = yield* Digest
      assert.strictEqual(
        yield* digest.digestHex(sha256, new TextEncoder().encode("abc")),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      )
    })
  )

  it.effect("seals what WebCrypto opens, and opens what WebCrypto seals", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom
      const ours = yield* Aead.Aead
      const theirs = yield* Effect.provide(Aead.Aead, webCrypto)
      const key = yield* Aead.key(Aead.aes256Gcm, yield* random.randomBytes(32))
      for (const plaintext of [text, new Uint8Array(0), new Uint8Array(100_000)]) {
        const nonce = yield* random.randomBytes(12)
        const sealed = yield* ours.encrypt(key, plaintext, { nonce, aad })
        assert.deepStrictEqual(sealed, yield* theirs.encrypt(key, plaintext, { nonce, aad }))
        assert.deepStrictEqual(yield* theirs.decrypt(key, sealed, { nonce, aad }), plaintext)
        assert.deepStrictEqual(yield* ours.decrypt(key, sealed, { nonce, aad }), plaintext)
      }
    })
  )

  it.effect("opens nothing that was changed in any byte, belongs elsewhere or is too short", () =>
    Effect.gen(function* () {
      const aead = yield* Aead.Aead
      const nonce = new Uint8Array(12)
      const key = yield* Aead.key(Aead.aes256Gcm, new Uint8Array(32))
      const sealed = yield* aead.encrypt(key, text, { nonce, aad })
      for (let at = 0; at < sealed.length; at++) {
        const changed = sealed.map((byte, index) => (index === at ? byte ^ 1 : byte))
        assert.strictEqual((yield* Effect.exit(aead.decrypt(key, changed, { nonce, aad })))._tag, "Failure")
      }
      assert.strictEqual((yield* Effect.exit(aead.decrypt(key, sealed, { nonce })))._tag, "Failure")
      assert.strictEqual((yield* Effect.exit(aead.decrypt(key, sealed.slice(0, 15), { nonce, aad })))._tag, "Failure")
    })
  )
})
