/** SHA-256 of bytes that come piece by piece, and are more than should be in memory at once. */
import { joined } from "@limbeck/core/bytes/Bytes"
import * as Context from "effect/Context"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"

export interface Running {
  readonly update: (bytes: Uint8Array) => void
  /** The digest as 64 lowercase hexadecimal characters. Call it once, after the last bytes. */
  readonly hex: Effect.Effect<string>
}

/** With what every platform has, which takes its bytes at once. */
const held = Effect.map(Digest, (digests): Running => {
  const pieces: Array<Uint8Array> = []
  return {
    update: (bytes) => void pieces.push(bytes),
    hex: Effect.suspend(() => digests.digestHex(sha256, joined(pieces)))
  }
})

/** Begins one. */
export const RunningDigest: Context.Reference<Effect.Effect<Running, never, Digest>> = Context.Reference<
  Effect.Effect<Running, never, Digest>
>("@limbeck/distill/dataset/RunningDigest", { defaultValue: () => held })
