/** The generator is xoshiro128** word for word, said again with big integers. */
import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

const mask = 0xffffffffn
const rotated = (value: bigint, by: bigint) => ((value << by) | (value >> (32n - by))) & mask

const reference = (given: ReadonlyArray<number>) => {
  const s = given.map((word) => BigInt(word))
  return () => {
    const [s0 = 0n, s1 = 0n, s2 = 0n, s3 = 0n] = s
    const result = (rotated((s1 * 5n) & mask, 7n) * 9n) & mask
    const third = s2 ^ s0
    const fourth = s3 ^ s1
    s[1] = s1 ^ third
    s[0] = s0 ^ fourth
    s[2] = third ^ ((s1 << 9n) & mask)
    s[3] = rotated(fourth, 11n)
    return Number(result)
  }
}

describe("SeededRandom", () => {
  it("gives the published first words, and those of the reference after them", () => {
    const bits = SeededRandom.fromState([1, 2, 3, 4])
    assert.deepStrictEqual([bits(), bits(), bits(), bits()], [11520, 0, 5927040, 70819200])
    const state = [0xdeadbeef, 0x80000000, 7, 0xffffffff] as const
    const [one, other] = [SeededRandom.fromState(state), reference(state)]
    for (let drawn = 0; drawn < 10_000; drawn++) assert.strictEqual(one(), other())
  })

  it("is told again by its seed, and neighbouring seeds have nothing in common", () => {
    const firsts = (seed: number) => {
      const bits = SeededRandom.make(seed)
      return [bits(), bits(), bits()]
    }
    assert.deepStrictEqual(firsts(42), firsts(42))
    const seen = Array.from({ length: 1_000 }, (_, seed) => firsts(seed)).flat()
    assert.strictEqual(new Set(seen).size, seen.length)
  })

  it("fills all of its range evenly", () => {
    const bits = SeededRandom.make(SeededRandom.seedOf("run_1"))
    const counts = new Array<number>(16).fill(0)
    for (let drawn = 0; drawn < 160_000; drawn++) counts[bits() >>> 28]!++
    for (const count of counts) assert.approximately(count, 10_000, 500)
  })

  it("makes the seed of a text by FNV-1a, as published", () => {
    assert.strictEqual(SeededRandom.seedOf(""), 0x811c9dc5)
    assert.strictEqual(SeededRandom.seedOf("a"), 0xe40c292c)
    assert.strictEqual(SeededRandom.seedOf("foobar"), 0xbf9cf968)
  })
})
