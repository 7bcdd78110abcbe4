import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { placeOf, splitOf } from "../../src/dataset/internal/Split.ts"

const fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.5 }))
const byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const digest = Schema.Array(byte).check(Schema.isMinLength(32), Schema.isMaxLength(32))

/** Digests that stand for rows: 32 bytes that count up. */
const digests = Array.from({ length: 20_000 }, (_, index) => {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(index % 8 === 0 ? 28 : 0, index)
  return bytes
})

const shareOf = (seed: number, holdoutFraction: number) =>
  digests.filter((bytes) => splitOf(bytes, seed, holdoutFraction) === "holdout").length / digests.length

describe("Split", () => {
  it.prop(
    "a larger fraction only moves rows from train to holdout",
    { digest, seed: Schema.Int, a: fraction, b: fraction },
    ({ a, b, digest, seed }) => {
      const bytes = Uint8Array.from(digest)
      const [smaller, larger] = [Math.min(a, b), Math.max(a, b)]
      if (splitOf(bytes, seed, smaller) === "holdout") assert.strictEqual(splitOf(bytes, seed, larger), "holdout")
    }
  )

  it.prop("a place is in [0, 1), and the same wherever the bytes lie", { digest, seed: Schema.Int }, (row) => {
    const bytes = Uint8Array.from(row.digest)
    const elsewhere = new Uint8Array([1, 2, 3, ...bytes, 4]).subarray(3, 35)
    const place = placeOf(bytes, row.seed)
    assert.isTrue(place >= 0 && place < 1)
    assert.strictEqual(placeOf(elsewhere, row.seed), place)
  })

  it("the places of rows are pinned: a change of them would move rows between versions (P24)", () =>
    assert.deepStrictEqual(
      [0, 1, 42, 2 ** 40].map((seed) =>
        placeOf(
          Uint8Array.from({ length: 32 }, (_, index) => index),
          seed
        )
      ),
      [0.509902022080496, 0.8134441587608308, 0.9853123095817864, 0.7574246656149626]
    ))

  it("nothing is held out at 0, and about the fraction otherwise, whatever the seed", () => {
    for (const seed of [0, 1, -1, 2 ** 40, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      assert.strictEqual(shareOf(seed, 0), 0)
      for (const wanted of [0.1, 0.25, 0.5]) assert.closeTo(shareOf(seed, wanted), wanted, 0.015, `seed ${seed}`)
    }
  })

  it("another seed is another split, also where seeds differ only above 32 bits", () => {
    for (const seed of [1, -1, 2 ** 32, 2 ** 33]) {
      const moved = digests.filter((bytes) => splitOf(bytes, 0, 0.5) !== splitOf(bytes, seed, 0.5)).length
      assert.closeTo(moved / digests.length, 0.5, 0.02, `seed ${seed}`)
    }
  })
})
