import { assert, it } from "@effect/vitest"
import { byString, SortedSet } from "../src/internal/database/SortedSet.ts"

it("keeps order through thousands of additions and deletions, and finds every place", () => {
  const set = new SortedSet<string>(byString)
  const model = new Set<string>()
  let state = 7
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return `k${state >>> 20}`
  }
  for (let step = 0; step < 30_000; step++) {
    const key = next()
    // Grows for two thirds of the way, then shrinks until little is left.
    if (step < 20_000 ? step % 3 > 0 : step % 10 === 0) {
      set.add(key)
      model.add(key)
    } else {
      const victim = model.values().next().value ?? key
      set.delete(victim)
      model.delete(victim)
    }
    if (step % 1_000 !== 0) continue
    const sorted = [...model].sort(byString)
    assert.deepStrictEqual([...set.ascending()], sorted)
    assert.deepStrictEqual([...set.descending()], sorted.toReversed())
    assert.strictEqual(set.first, sorted[0])
    for (const place of [key, next(), "", "z"]) {
      assert.deepStrictEqual(
        [...set.ascending(place)],
        sorted.filter((item) => item >= place)
      )
      assert.strictEqual(set.sizeFrom(place), sorted.filter((item) => item >= place).length)
      assert.deepStrictEqual([...set.descending(place)], sorted.filter((item) => item < place).toReversed())
    }
  }
})
