import { assert, describe, it } from "@effect/vitest"
import { luck } from "@limbeck/testing/random/Luck"
import { windowCalls } from "../src/guard/CallDriftRules.ts"
import { callsPerLook, levelOf } from "../src/guard/DriftReviewRules.ts"
import * as LabelShiftRules from "../src/guard/LabelShiftRules.ts"

const deployments = 100

/** The number of calls at which other labels are found, with the error of one of three comparisons; null: they are not. */
const foundAt = (labels: ReadonlyArray<number>): number | null => {
  const before = labels.slice(0, windowCalls)
  for (let look = 1, count = windowCalls + callsPerLook; count <= labels.length; look++, count += callsPerLook) {
    const now = labels.slice(Math.max(windowCalls, count - windowCalls), count)
    if (LabelShiftRules.byChance(before, now) <= levelOf(look) / 3) return count
  }
  return null
}

/** Labels of uneven frequency; from `newFrom` on, half of the calls have one of as many new labels. */
const simulated = (labels: number, count: number, newFrom: number) => {
  const next = luck(labels)
  return Array.from({ length: deployments }, () =>
    foundAt(
      Array.from({ length: count }, (_, nth) => {
        const label = Math.floor(labels * next() ** 2)
        return nth >= newFrom && next() < 0.5 ? labels + label : label
      })
    )
  )
}

describe("the labels of all calls", () => {
  for (const labels of [2, 10, 77]) {
    it(`drift within 1,000 calls where half of the traffic has new ones, beside ${labels} known ones (P1517)`, () => {
      const found = simulated(labels, 2_500, 1_500)
      assert.isAtLeast(found.filter((at) => at !== null && at > 1_500).length, 0.95 * deployments)
    })

    it(`do not drift over 4,000 calls with ${labels} labels that stay as they are (P1517)`, () => {
      const found = simulated(labels, 4_000, Number.POSITIVE_INFINITY)
      assert.isAtMost(found.filter((at) => at !== null).length, deployments / 100)
    })
  }

  it("are alike where there are none", () => {
    assert.strictEqual(LabelShiftRules.byChance([], [1]), 1)
    assert.strictEqual(LabelShiftRules.byChance([1], []), 1)
  })
})
