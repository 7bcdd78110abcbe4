/** What holds of every credential that is looked up by its digest: tokens, sessions, links. */
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"

/** Longer texts are no secrets of ours and are not worth a digest. */
export const lengthMax = 512

/** When a credential was last used is as exact as this: a write per request would cost more than it tells. */
export const touchEveryMillis = 60_000

/** Lowercase hex SHA-256. */
export const digestOf = Effect.fnUntraced(function* (secret: string) {
  const digest = yield* Digest
  return yield* digest.digestHex(sha256, new TextEncoder().encode(secret))
})
