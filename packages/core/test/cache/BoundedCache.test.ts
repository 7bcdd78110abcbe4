import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { BoundedCache, entries } from "../../src/cache/BoundedCache.ts"

const text = (name: number, length: number) => String(name).padEnd(length, " ")

it("what was made of a key is found as long as it was asked for lately, and memory stays bounded", () => {
  const known = new BoundedCache<string, number>()
  const length = 16 * 1024
  known.keep(text(0, length), 0, length)
  for (let name = 1; name <= 1_000; name++) {
    known.keep(text(name, length), name, length)
    // Frequent look-ups keep the entry.
    assert.strictEqual(known.find(text(0, length)), 0)
  }
  const kept = Array.from({ length: 1_001 }, (_, name) => known.find(text(name, length))).filter(
    (value) => value !== undefined
  )
  assert.isAtMost(kept.length * length, 1024 * 1024)
  assert.include(kept, 1_000)
})

it("what stands for longer texts takes their room, also when it is found again", () => {
  const known = new BoundedCache<string, number>({ generationMax: 10, lengthMax: 5 })
  known.keep("long", 0, 6)
  for (let name = 1; name <= 9; name++) {
    known.keep(String(name), name, 5)
    assert.strictEqual(known.find("1"), 1)
  }
  assert.deepStrictEqual(
    ["long", "1", "2", "3", "4", "5", "6", "9"].map((name) => known.find(name)),
    [undefined, 1, undefined, undefined, undefined, undefined, undefined, 9]
  )
})

it("what is long is made each time", () => {
  const known = new BoundedCache<string, number>()
  known.keep(text(1, 100), 1, 100)
  known.keep(text(2, 33 * 1024), 2, 33 * 1024)
  assert.deepStrictEqual([known.find(text(1, 100)), known.find(text(2, 33 * 1024))], [1, undefined])
})

describe("documents that never change again", () => {
  /** A store that counts how often it is asked for each. */
  const counting = (isFinal: (value: string) => boolean, keptMax: number) => {
    const asked: Array<string> = []
    const cache = new BoundedCache<string, string>(entries(keptMax))
    const get = (key: string, value = "ready") =>
      cache.lookup(
        key,
        isFinal,
        Effect.sync(() => {
          asked.push(key)
          return value
        })
      )
    return { asked, get }
  }

  it.effect("are looked up once, and those that may change each time", () =>
    Effect.gen(function* () {
      const { asked, get } = counting((value) => value === "ready", 10)
      assert.strictEqual(yield* get("a", "building"), "building")
      assert.strictEqual(yield* get("a", "building"), "building")
      for (let times = 0; times < 3; times++) assert.strictEqual(yield* get("a"), "ready")
      assert.deepStrictEqual(asked, ["a", "a", "a"])
    })
  )

  it.effect("are kept up to a number; those that were used lately stay", () =>
    Effect.gen(function* () {
      const { asked, get } = counting(() => true, 4)
      for (let number = 0; number < 100; number++) {
        yield* get("a")
        yield* get(`other ${number}`)
      }
      assert.strictEqual(asked.filter((key) => key === "a").length, 1)
      asked.length = 0
      for (let number = 99; number >= 0; number--) yield* get(`other ${number}`)
      assert.isAtLeast(asked.length, 96)
    })
  )

  it.effect("are not kept where the look-up fails", () =>
    Effect.gen(function* () {
      const cache = new BoundedCache<string, string>(entries(2))
      const isFinal = () => true
      assert.strictEqual(yield* Effect.flip(cache.lookup("a", isFinal, Effect.fail("gone"))), "gone")
      assert.strictEqual(yield* cache.lookup("a", isFinal, Effect.succeed("there")), "there")
    })
  )
})
