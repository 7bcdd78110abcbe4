import { assert, it } from "@effect/vitest"
import { Known } from "../../src/cache/Known.ts"

const text = (name: number, length: number) => String(name).padEnd(length, " ")

it("what was made of a key is found as long as it was asked for lately, and memory stays bounded", () => {
  const known = new Known<string, number>()
  const length = 16 * 1024
  known.keep(text(0, length), 0, length)
  for (let name = 1; name <= 1_000; name++) {
    known.keep(text(name, length), name, length)
    // It is asked for all the time, so it stays.
    assert.strictEqual(known.find(text(0, length)), 0)
  }
  const kept = Array.from({ length: 1_001 }, (_, name) => known.find(text(name, length))).filter(
    (value) => value !== undefined
  )
  assert.isAtMost(kept.length * length, 1024 * 1024)
  assert.include(kept, 1_000)
})

it("what stands for longer texts takes their room, also when it is found again", () => {
  const known = new Known<string, number>({ generationMax: 10, lengthMax: 5 })
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
  const known = new Known<string, number>()
  known.keep(text(1, 100), 1, 100)
  known.keep(text(2, 33 * 1024), 2, 33 * 1024)
  assert.deepStrictEqual([known.find(text(1, 100)), known.find(text(2, 33 * 1024))], [1, undefined])
})
