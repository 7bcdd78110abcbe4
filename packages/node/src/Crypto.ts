/**
 * Digests, message authentication codes, authenticated encryption and randomness from Node. What a delivery needs runs on
 * `node:crypto` at once, not in the thread pool behind `crypto.subtle`.
 */

import { createCipheriv, createDecipheriv } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as Aead from "effect/crypto/Aead"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"

const tagBytes = 16
const aes = "aes-256-gcm"

/** A fresh copy: Node's own may share its memory with other buffers. */
const copied = (...parts: ReadonlyArray<Uint8Array>) => Uint8Array.from(Buffer.concat(parts))

const aes256Gcm: Aead.Implementation = {
  encrypt: (key, nonce, plaintext, aad) => {
    const cipher = createCipheriv(aes, key, nonce, { authTagLength: tagBytes }).setAAD(aad)
    return copied(cipher.update(plaintext), cipher.final(), cipher.getAuthTag())
  },
  decrypt: (key, nonce, ciphertext, aad) => {
    const tagAt = ciphertext.length - tagBytes
    const decipher = createDecipheriv(aes, key, nonce, { authTagLength: tagBytes }).setAAD(aad)
    decipher.setAuthTag(ciphertext.subarray(tagAt))
    const plaintext = decipher.update(ciphertext.subarray(0, tagAt))
    try {
      return copied(plaintext, decipher.final())
    } catch {
      // The tag does not match.
      return undefined
    }
  }
}

export const layer: Layer.Layer<Aead.Aead | Digest | Mac | SecureRandom> = Layer.mergeAll(
  NodeCrypto.layerSecureRandom,
  NodeCrypto.layerDigest,
  NodeCrypto.layerMac,
  Aead.layerWebCryptoWith({ implementations: { aes256Gcm } }).pipe(Layer.provide(NodeCrypto.layerSecureRandom))
)
