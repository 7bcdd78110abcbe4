/** SHA-256 of a byte stream too large for memory. */
import { joinPieces } from "@limbeck/core/bytes/Bytes"
import * as Context from "effect/Context"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface DigestState {
  readonly update: (bytes: Uint8Array) => void
  /** The digest as 64 lowercase hexadecimal characters. Call it once, after the last bytes. */
  readonly hex: Effect.Effect<string>
}

/** Begins a digest. A port without a default: an assembly that forgets it does not compile. */
export class RunningDigest extends Context.Service<RunningDigest, Effect.Effect<DigestState>>()(
  "@limbeck/distill/dataset/RunningDigest"
) {}

/** With what every platform has, which takes its bytes at once. */
export const layerPortable: Layer.Layer<RunningDigest, never, Digest> = Layer.effect(
  RunningDigest,
  Effect.map(Digest, (digests) =>
    Effect.sync((): DigestState => {
      const pieces: Array<Uint8Array> = []
      return {
        update: (bytes) => void pieces.push(bytes),
        hex: Effect.suspend(() => digests.digestHex(sha256, joinPieces(pieces)))
      }
    })
  )
)
