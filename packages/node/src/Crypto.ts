/**
 * Digests, message authentication codes, authenticated encryption and randomness from Node. What a delivery needs runs on
 * `node:crypto` at once, not in the thread pool behind `crypto.subtle`.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash as digestOf,
  type KeyObject,
  randomBytes
} from "node:crypto"
import * as Aead from "effect/crypto/Aead"
import { type Algorithm, Digest } from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const tagBytes = 16
const aes = "aes-256-gcm"

/** A fresh copy: Node's own may share its memory with other buffers. */
const copy = (...parts: ReadonlyArray<Uint8Array>) => Uint8Array.from(Buffer.concat(parts))

const aes256Gcm: Aead.Implementation = {
  encrypt: (key, nonce, plaintext, aad) => {
    const cipher = createCipheriv(aes, key, nonce, { authTagLength: tagBytes }).setAAD(aad)
    return copy(cipher.update(plaintext), cipher.final(), cipher.getAuthTag())
  },
  decrypt: (key, nonce, ciphertext, aad) => {
    const tagAt = ciphertext.length - tagBytes
    const decipher = createDecipheriv(aes, key, nonce, { authTagLength: tagBytes }).setAAD(aad)
    decipher.setAuthTag(ciphertext.subarray(tagAt))
    const plaintext = decipher.update(ciphertext.subarray(0, tagAt))
    try {
      return copy(plaintext, decipher.final())
    } catch {
      // The tag does not match.
      return undefined
    }
  }
}

/** In one call: a million hash objects are work for the garbage collector, each apart. */
const digests = Digest.of({
  digest: ({ name }, data) => Effect.sync(() => Uint8Array.from(digestOf(name.replace("-", ""), data, "buffer"))),
  digestHex: ({ name }, data) => Effect.sync(() => digestOf(name.replace("-", ""), data, "hex"))
})

/** Uses a key object: given bare bytes, Node first checks their type by way of an exception, which costs 7 µs. */
const hmacs = () => {
  // Lives as long as the caller's key bytes: a frequent signer pays for the object once.
  const keys = new WeakMap<Uint8Array, KeyObject>()
  return (hash: Algorithm["name"], bytes: Uint8Array, data: Uint8Array): Uint8Array => {
    const key = keys.get(bytes) ?? createSecretKey(bytes)
    keys.set(bytes, key)
    return new Uint8Array(createHmac(hash.replace("-", ""), key).update(data).digest())
  }
}

/** Random bytes by the pool: an id needs a few, and each visit to the system's generator costs more than they do. */
const poolBytes = 8_192

const pooledRandomBytes = () => {
  let pool = randomBytes(poolBytes)
  let used = 0
  return (size: number): Uint8Array => {
    if (size > poolBytes / 8) return copy(randomBytes(size))
    if (used + size > poolBytes) {
      pool = randomBytes(poolBytes)
      used = 0
    }
    used += size
    const bytes = new Uint8Array(pool.subarray(used - size, used))
    // Clears the bytes given out, so that no copy stays in memory.
    pool.fill(0, used - size, used)
    return bytes
  }
}

const random = Layer.sync(SecureRandom.SecureRandom, () => SecureRandom.make(pooledRandomBytes()))

export const layer: Layer.Layer<Aead.Aead | Digest | Mac.Mac | SecureRandom.SecureRandom> = Layer.mergeAll(
  random,
  Layer.succeed(Digest, digests),
  Mac.layerWebCryptoWith({ hmac: hmacs() }).pipe(Layer.provide(random)),
  Aead.layerWebCryptoWith({ implementations: { aes256Gcm } }).pipe(Layer.provide(random))
)
