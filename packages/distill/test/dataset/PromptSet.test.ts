import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { PromptSet } from "../../src/dataset/internal/PromptSet.ts"

/** Few different first words, so that probes collide. */
const keyOf = (value: number): Uint8Array => {
  const bytes = new Uint8Array(8)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, value % 5)
  view.setUint32(4, Math.floor(value / 5))
  return bytes
}

const values = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })))

describe("PromptSet", () => {
  it.prop("counts each key once, that of zeros too, in whatever order they come", { values }, ({ values }) => {
    for (const order of [values, values.toReversed(), values.toSorted()]) {
      const set = new PromptSet()
      for (const value of order) set.add(keyOf(value))
      assert.strictEqual(set.size, new Set(values).size)
    }
  })

  it("grows without losing any", () => {
    const set = new PromptSet()
    for (let round = 0; round < 2; round++) for (let value = 0; value < 20_000; value++) set.add(keyOf(value))
    assert.strictEqual(set.size, 20_000)
  })

  it("reads a key where it lies in other bytes", () => {
    const set = new PromptSet()
    const bytes = Uint8Array.from({ length: 24 }, (_, index) => index)
    for (const from of [0, 8, 16, 8]) set.add(bytes.subarray(from, from + 8))
    assert.strictEqual(set.size, 3)
  })
})
