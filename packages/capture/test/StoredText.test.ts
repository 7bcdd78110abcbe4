/** The stored size of a body, and the number of steps to find it. */
import { assert, describe, it } from "@effect/vitest"
import * as StoredText from "../src/call/StoredText.ts"

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Calls that make V8 optimize the function. */
const warmUpCalls = 1_000

/** A string that counts the units read by its methods. An unlisted method may read all of them. */
class CountedText extends String {
  units = 0
  /** The units of the largest read. */
  most = 0

  static of(text: string): CountedText {
    const counted = new CountedText(text)
    const lookOf: Readonly<Record<string, (from?: number, to?: number) => number>> = {
      charCodeAt: () => 1,
      slice: (from = 0, to = text.length) => Math.min(to, text.length) - from
    }
    for (const name of Object.getOwnPropertyNames(String.prototype)) {
      const method: unknown = Reflect.get(String.prototype, name)
      if (name === "constructor" || typeof method !== "function") continue
      const value = (...args: ReadonlyArray<number>) => {
        const units = lookOf[name]?.(...args) ?? text.length
        counted.units += units
        counted.most = Math.max(counted.most, units)
        return Reflect.apply(method, text, args)
      }
      Object.defineProperty(counted, name, { value })
    }
    return counted
  }

  /** For a function that takes any text and asks nothing but its methods. */
  get asText(): string {
    return this as unknown as string
  }
}

describe("a stored text", () => {
  it("is the longest beginning whose bytes fit, in UTF-8 or, with a NUL, as JSON", () => {
    for (const unit of ["a", "é", "€", '"', "\n"]) {
      const text = unit.repeat(1_000)
      for (const bytesMax of [1_000, 1_999, 2_500, 2_999]) {
        const { isCut, text: stored } = StoredText.of(text, bytesMax)
        assert.strictEqual(stored.length, Math.min(1_000, Math.floor(bytesMax / bytesOf(unit))))
        assert.strictEqual(isCut, stored.length < 1_000)
      }
    }
    assert.strictEqual(StoredText.of("\0".repeat(1_000), 600).text.length, 100)
    assert.strictEqual(StoredText.of(`${'"'.repeat(1_000)}\0`, 1_500).text.length, 1_000)
    assert.strictEqual(StoredText.of(`\0${'"'.repeat(1_000)}`, 1_506).text.length, 751)
  })

  it("does not end between the halves of a surrogate pair", () => {
    const { text } = StoredText.of("😀".repeat(10_000), 30_003)
    assert.isTrue(text.isWellFormed())
    assert.strictEqual(text.length, 10_000)
  })

  it("is found in steps of a piece of it, also by code that V8 has optimized (P800)", () => {
    const short = "x".repeat(20_000)
    for (let call = 0; call < warmUpCalls; call++) StoredText.of(short, 30_000)
    const text = "x".repeat(400_000)
    const counted = CountedText.of(text)
    assert.isFalse(StoredText.of(counted.asText, 1_000_000).isCut)
    assert.isAtMost(counted.most, 8_192)
    assert.isAtMost(counted.units, text.length)
    const costs = [...StoredText.steps(text, 1_000_000)]
    assert.isAtMost(Math.max(...costs), 8_192)
    assert.strictEqual(
      costs.reduce((sum, cost) => sum + cost, 0),
      text.length
    )
  })
})
