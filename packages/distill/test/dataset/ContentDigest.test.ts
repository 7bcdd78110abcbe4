import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { Datasets } from "@limbeck/distill/dataset/Datasets"
import type { DatasetVersion } from "@limbeck/distill/dataset/DatasetVersion"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { built, jsonl, live, rowOf, uploaded, world } from "../upload/World.ts"

/** As it is defined: by ascending digest of the row, that digest, how many copies are kept, and 1 for a row of the holdout. */
const defined = Effect.fnUntraced(function* ({ id }: DatasetVersion) {
  const datasets = yield* Datasets
  const copies = new Map<string, { count: number; holdout: number }>()
  for (const split of ["train", "holdout"] as const) {
    for (const text of yield* Stream.runCollect(datasets.exportRows(live, id, split))) {
      const digest = createHash("sha256")
        .update(canonicalJson(JSON.parse(text)))
        .digest("hex")
      const count = (copies.get(digest)?.count ?? 0) + 1
      copies.set(digest, { count, holdout: split === "holdout" ? 1 : 0 })
    }
  }
  const hash = createHash("sha256")
  for (const [digest, { count, holdout }] of [...copies].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(digest, "hex").update(Uint8Array.of(0, 0, count >> 8, count & 255, holdout))
  }
  return hash.digest("hex")
})

const lines = Array.from({ length: 60 }, (_, index) => rowOf(`prompt ${index % 40}`, `completion ${index % 50}`))

// Plans and reports name this digest, so it must stay the same for the same rows.
const pinned = [
  ["exact", [], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["exact", [...lines, ...lines], "ca42b41751c4fff8fb23dae2777a8d894c3dfff4ddc0661ff1372b33716f09a3"],
  [
    "none",
    [...lines, ...lines.slice(5), ...lines.slice(20)],
    "030791c62c9499dcd52b130f6f86f530e2a9d3f917ea9d114b6c72e175781326"
  ]
] as const

describe("content_sha256", () => {
  it.effect("is as it is defined, and what it was before for the same rows (P89)", () =>
    Effect.gen(function* () {
      for (const [dedupe, content, digest] of pinned) {
        const upload = yield* uploaded(jsonl(content))
        const version = yield* built(upload.id, { dedupe, seed: 7, holdoutFraction: 0.3 })
        assert.strictEqual(version.contentSha256, yield* defined(version))
        assert.strictEqual(version.contentSha256, digest)
      }
    }).pipe(Effect.provide(world))
  )
})
