/** What a guard knows, in words. */
import { assert, describe, it } from "@effect/vitest"
import { comparisonsUntilKnown } from "@limbeck/api/serving/GuardForecast"
import * as AgreementRules from "@limbeck/serving/guard/AgreementRules"
import { type Guarded, guardWords } from "../src/deployments/GuardWords.ts"

const intervalOf = (value: number, compared: number) => {
  const agreement = AgreementRules.agreementOf(AgreementRules.of({ compared, agreed: Math.round(value * compared) }))
  if (agreement === null) throw new Error("nothing compared")
  return agreement
}

const guardedOf = (value: number, comparisons: number, floor: number | null, mode: "active" | "shadow"): Guarded => ({
  mode,
  guard: { min_agreement: floor, verify_percent: 2, on_breach: "fallback", breach: null },
  agreement: { ...intervalOf(value, comparisons), comparisons, method: AgreementRules.method, questions: [] }
})

const excludes = (floor: number, value: number, compared: number) => {
  const { high, low } = intervalOf(value, compared)
  return low >= floor || high < floor
}

describe("the guard in words", () => {
  it("says how many more comparisons until it can tell, as the law of the guard counts them (P1744)", () => {
    for (const [value, comparisons, floor] of [
      [0.97, 100, 0.9],
      [1, 50, 0.9],
      [0.92, 300, 0.88],
      [0.85, 200, 0.9]
    ] as const) {
      const more = comparisonsUntilKnown({ comparisons, value }, floor) ?? 0
      assert.isAbove(more, 0)
      assert.isFalse(excludes(floor, value, comparisons))
      assert.isTrue(excludes(floor, value, comparisons + more), `${value} ${comparisons}`)
      assert.isFalse(excludes(floor, value, comparisons + Math.floor(more / 2)), `half of it for ${value}`)
      assert.include(
        guardWords(guardedOf(value, comparisons, floor, "shadow")),
        `about ${Number(more.toPrecision(2))} more comparisons until it can`
      )
    }
  })

  it("says the answers of the student that the comparisons take, and what it knows already (P1744)", () => {
    const more = comparisonsUntilKnown({ comparisons: 100, value: 0.97 }, 0.9) ?? 0
    const answers = new Intl.NumberFormat("en").format(Number((50 * more).toPrecision(2)))
    assert.include(guardWords(guardedOf(0.97, 100, 0.9, "active")), `at 2 % are about ${answers} answers`)
    assert.include(guardWords(guardedOf(0.97, 1_000, 0.9, "active")), "It holds: the agreement is at least")
    assert.include(guardWords(guardedOf(0.7, 1_000, 0.9, "active")), "is below the floor: at most")
    assert.include(guardWords(guardedOf(0.9, 1_000, 0.9, "active")), "too near to the floor")
    assert.include(guardWords(guardedOf(0.9, 10, null, "shadow")), "no floor before the student is active")
    assert.include(guardWords({ ...guardedOf(0.9, 10, 0.9, "active"), agreement: null }), "Nothing was compared yet")
    assert.include(guardWords({ ...guardedOf(0.9, 10, 0.9, "active"), guard: null }), "It is off")
  })
})
