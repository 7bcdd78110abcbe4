/** DigestState digests by Node: what has come is not kept. */
import { createHash } from "node:crypto"
import { type DigestState, RunningDigest } from "@limbeck/distill/dataset/RunningDigest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const begin = Effect.sync((): DigestState => {
  const hash = createHash("sha256")
  return { update: (bytes) => void hash.update(bytes), hex: Effect.sync(() => hash.digest("hex")) }
})

export const layer: Layer.Layer<RunningDigest> = Layer.succeed(RunningDigest, begin)
