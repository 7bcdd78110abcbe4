/**
 * Secrets at rest: AES-256-GCM under a data key of its own per value, which a key-encryption key wraps. The key's id is in
 * the text, so rotating the key needs no downtime: the first key encrypts, all decrypt.
 */

import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import { Digest, sha256 } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { joinPieces } from "../bytes/Bytes.ts"

export class Secrets extends Context.Service<
  Secrets,
  {
    /** `context` names the owner of the text; `open` needs the same context. */
    readonly seal: (text: string, context: string) => Effect.Effect<string>
    /** Dies when the text was tampered with, belongs to another context, or no key opens it. */
    readonly open: (sealed: string, context: string) => Effect.Effect<string>
  }
>()("@limbeck/core/secrets/Secrets") {}

const utf8 = new TextEncoder()
const nonceBytes = 12
const version = "s1"

const keyRing = Effect.fnUntraced(function* (keys: ReadonlyArray<Redacted.Redacted<Uint8Array>>) {
  const digest = yield* Digest
  const named = yield* Effect.forEach(keys, (redacted) =>
    Effect.gen(function* () {
      const bytes = Redacted.value(redacted)
      const id = (yield* digest.digestHex(sha256, bytes)).slice(0, 8)
      return [id, yield* Effect.orDie(Aead.key(Aead.aes256Gcm, bytes))] as const
    })
  )
  return new Map(named)
})

/** `keys`: 32 bytes each, at least one. */
export const layer = (
  keys: readonly [Redacted.Redacted<Uint8Array>, ...ReadonlyArray<Redacted.Redacted<Uint8Array>>]
): Layer.Layer<Secrets, never, Aead.Aead | Digest | SecureRandom> =>
  Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const aead = yield* Aead.Aead
      const random = yield* SecureRandom
      const ring = yield* keyRing(keys)
      // The type of `keys` guarantees at least one key.
      const [[newestId, newest]] = [...ring] as [[string, Aead.Key<Aead.AesGcm>]]

      const encrypt = Effect.fnUntraced(function* (key: Aead.Key, plaintext: Uint8Array, context: string) {
        const nonce = yield* random.randomBytes(nonceBytes)
        const ciphertext = yield* aead.encrypt(key, plaintext, { nonce, aad: utf8.encode(context) })
        return Base64Url.encode(joinPieces([nonce, ciphertext]))
      })

      const decrypt = Effect.fnUntraced(function* (key: Aead.Key, text: string, context: string) {
        const bytes = yield* Effect.fromResult(Base64Url.decode(text))
        // Spare bits of the last character would let another text open too.
        if (Base64Url.encode(bytes) !== text) return yield* Effect.die(new Error("A sealed secret was tampered with"))
        const nonce = bytes.subarray(0, nonceBytes)
        return yield* aead.decrypt(key, bytes.subarray(nonceBytes), { nonce, aad: utf8.encode(context) })
      })

      const seal = Effect.fnUntraced(function* (text: string, context: string) {
        const dataKey = yield* random.randomBytes(32)
        const wrapped = yield* encrypt(newest, dataKey, context)
        const body = yield* encrypt(yield* Aead.key(Aead.aes256Gcm, dataKey), utf8.encode(text), context)
        return [version, newestId, wrapped, body].join(".")
      }, Effect.orDie)

      const open = Effect.fnUntraced(function* (sealed: string, context: string) {
        const [made, keyId, wrapped, body, ...more] = sealed.split(".")
        const key = made === version && more.length === 0 ? ring.get(keyId ?? "") : undefined
        if (key === undefined || wrapped === undefined || body === undefined) {
          return yield* Effect.die(new Error("This is no sealed secret, or it names no key that this server has"))
        }
        const dataKey = yield* decrypt(key, wrapped, context)
        const plaintext = yield* decrypt(yield* Aead.key(Aead.aes256Gcm, dataKey), body, context)
        return new TextDecoder("utf-8", { ignoreBOM: true }).decode(plaintext)
      }, Effect.orDie)

      return Secrets.of({ seal, open })
    })
  )

/** Reads 32 bytes of base64 (standard or URL alphabet); undefined for anything else. */
export const parseKey = (text: string): Redacted.Redacted<Uint8Array> | undefined => {
  const plain = text.trim().replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
  const bytes = Result.getOrUndefined(Base64Url.decode(plain))
  return bytes?.length === 32 ? Redacted.make(bytes) : undefined
}
