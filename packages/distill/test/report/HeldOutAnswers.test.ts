/** Two students on the held-out prompts that both answered. */
import { assert, describe, it } from "@effect/vitest"
import * as HeldOutAnswers from "@limbeck/distill/report/HeldOutAnswers"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

const keyOf = (n: number) => n.toString(16).padStart(16, "0")
const answersOf = (agreed: ReadonlyArray<boolean>, from = 0) =>
  HeldOutAnswers.of(agreed.map((agrees, n) => ({ agrees, heldOutKey: keyOf(from + n) })))

describe("two students on held-out prompts", () => {
  it("are compared on common prompts alone, by the first answer to each (P1150)", () => {
    const first = answersOf([true, true, false, true])
    const second = answersOf([false, true, true, false], 2)
    assert.deepInclude(HeldOutAnswers.compare(first, second), { rows: 2, first: 1, second: 1 })
    assert.isUndefined(HeldOutAnswers.compare(first, answersOf([true], 9)))
    assert.isUndefined(HeldOutAnswers.compare([], second))
    const twice = [true, false].map((agrees) => ({ agrees, heldOutKey: keyOf(1) }))
    assert.deepStrictEqual(HeldOutAnswers.of([...twice, { agrees: true }]), [`${keyOf(1)}+`])
  })

  it("are told apart by prompts on which they differ, and no others (P1150)", () => {
    const pair = (both: number, onlyFirst: number, onlySecond: number) => {
      const total = both + onlyFirst + onlySecond
      const of = (agrees: (n: number) => boolean) => answersOf(Array.from({ length: total }, (_, n) => agrees(n)))
      const compared = HeldOutAnswers.compare(
        of((n) => n < both + onlyFirst),
        of((n) => n < both || n >= both + onlyFirst)
      )
      assert.isDefined(compared)
      return compared!
    }
    assert.isBelow(pair(80, 18, 2).high, 0)
    assert.isAbove(pair(80, 2, 18).low, 0)
    const alike = pair(80, 10, 10)
    assert.isTrue(alike.low < 0 && alike.high > 0)
    assert.closeTo(alike.low, -alike.high, 1e-12)
    assert.isAtLeast(pair(10, 1, 0).high, 0)
  })

  it("that are as good pass in 39 of 40 (P1150)", () => {
    const bits = SeededRandom.make(7)
    const agreed = () => Array.from({ length: 120 }, () => bits() / 2 ** 32 < 0.85)
    const rounds = 1_000
    let worse = 0
    for (let round = 0; round < rounds; round++) {
      if (HeldOutAnswers.compare(answersOf(agreed()), answersOf(agreed()))!.high < 0) worse++
    }
    assert.isAtMost(worse / rounds, 1 / 40 + 0.01)
    assert.isAtLeast(worse, 1)
  })
})
