import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { finalize, fnvBasis, fnvText, generator, shuffle } from "../../src/builtin/internal/Hashing.ts"

const numbers = (seed: number, count: number, stream = 0) => {
  const next = generator(seed, stream)
  return Array.from({ length: count }, next)
}

describe("Hashing", () => {
  it("is FNV-1a, by its published vectors", () => {
    const published = { "": 0x811c9dc5, a: 0xe40c292c, b: 0xe70c2de5, foobar: 0xbf9cf968 }
    for (const [text, hash] of Object.entries(published)) assert.strictEqual(fnvText(fnvBasis, text) >>> 0, hash, text)
  })

  it("is MurmurHash3's finalizer, by known values", () => {
    assert.deepStrictEqual([0, 1, 2, 0xffffffff].map(finalize), [0, 0x514e28b7, 0x30f4c306, 0x81f16f39])
  })

  it.prop("a seed always gives the same whole numbers below 2^32", [Schema.Int], ([seed]) => {
    assert.deepStrictEqual(numbers(seed, 20), numbers(seed, 20))
    assert.isTrue(numbers(seed, 20).every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32))
  })

  it("seeds and streams differ from each other, and values are spread evenly", () => {
    const firsts = [numbers(0, 4), numbers(1, 4), numbers(2 ** 32, 4), numbers(0, 4, 1)].map(String)
    assert.strictEqual(new Set(firsts).size, 4)
    const buckets = new Uint32Array(16)
    for (const value of numbers(3, 16_000)) buckets[value >>> 28] = buckets[value >>> 28]! + 1
    for (const count of buckets) assert.closeTo(count, 1_000, 150)
  })

  it.prop("a shuffle keeps every value once", [Schema.Array(Schema.Int), Schema.Int], ([some, seed]) => {
    const values = Uint32Array.from(some)
    assert.deepStrictEqual(shuffle(values.slice(), generator(seed)).sort(), values.sort())
  })
})
