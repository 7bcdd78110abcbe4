import { assert, describe, it } from "@effect/vitest"
import { DigestTable } from "@limbeck/distill/dataset/DigestTable"
import * as Schema from "effect/Schema"

/** Few different heads, so that slots collide. */
const digestOf = (value: number): Uint8Array => {
  const bytes = new Uint8Array(32).fill(7)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, value % 5)
  view.setUint32(28, value)
  return bytes
}

const values = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 })))
const tableOf = (members: ReadonlyArray<number>, isHoldout = (value: number) => value % 2 === 0) => {
  const table = new DigestTable(32)
  for (const value of members) table.add(digestOf(value), isHoldout(value))
  return table
}

describe("DigestTable", () => {
  it.prop("tells how often a digest was met before", { values }, ({ values }) => {
    const table = new DigestTable(32)
    const met = new Map<number, number>()
    for (const value of values) {
      const before = met.get(value) ?? 0
      assert.strictEqual(table.add(digestOf(value), false), before)
      met.set(value, before + 1)
    }
    assert.strictEqual(table.size, met.size)
  })

  it.prop("writes the same bytes whatever order the digests came in", { values }, ({ values }) => {
    const written = tableOf(values).write(99)
    assert.deepStrictEqual(tableOf(values.toReversed()).write(99), written)
    assert.deepStrictEqual(tableOf(values.toSorted()).write(99), written)
  })

  it("copies count up to the bound, and the split is part of what is written", () => {
    const [once, twice] = [tableOf([1, 2]), tableOf([1, 2, 2])]
    assert.deepStrictEqual(twice.write(1), once.write(1))
    assert.notDeepEqual(twice.write(2), once.write(2))
    assert.notDeepEqual(tableOf([1, 2], () => false).write(1), once.write(1))
  })

  it("grows without losing any", () => {
    const table = new DigestTable(32)
    const digests = Array.from({ length: 10_000 }, (_, value) => {
      const bytes = new Uint8Array(32)
      new DataView(bytes.buffer).setUint32(0, value)
      return bytes
    })
    for (const digest of digests) assert.strictEqual(table.add(digest, false), 0)
    for (const digest of digests) assert.strictEqual(table.add(digest, false), 1)
    assert.strictEqual(table.size, digests.length)
  })
})
