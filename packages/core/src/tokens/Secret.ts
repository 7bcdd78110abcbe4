/** Rules of every credential looked up by digest: tokens, sessions, links. */
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"

/** Longer texts are not ours and not worth a digest. */
export const lengthMax = 512

/** Precision of a credential's last use: a write per request would cost more than it is worth. */
export const touchEveryMillis = 60_000

/** Lowercase hex SHA-256. */
export const digestOf = Effect.fnUntraced(function* (secret: string) {
  const digest = yield* Digest
  return yield* digest.digestHex(sha256, new TextEncoder().encode(secret))
})
