import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { layerPortable, RunningDigest } from "@limbeck/distill/dataset/RunningDigest"
import * as NodeRunningDigest from "@limbeck/node/dataset/NodeRunningDigest"
import { layerWebCrypto } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const pieces = Schema.Array(Schema.Uint8Array)

describe("RunningDigest", () => {
  for (const [name, layer] of [
    ["Node", NodeRunningDigest.layer],
    ["what every platform has", Layer.provide(layerPortable, layerWebCrypto)]
  ] as const) {
    it.effect.prop(`with ${name}, it is the digest of all pieces together`, { pieces }, ({ pieces }) =>
      Effect.gen(function* () {
        const running = yield* yield* RunningDigest
        for (const piece of pieces) running.update(piece)
        const expected = createHash("sha256").update(Buffer.concat(pieces)).digest("hex")
        assert.strictEqual(yield* running.hex, expected)
      }).pipe(Effect.provide(layer))
    )
  }
})
