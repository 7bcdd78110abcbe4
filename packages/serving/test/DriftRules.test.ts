import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import * as DriftRules from "../src/guard/DriftRules.ts"

/** Calls with five answers, the first with this share. */
const calls = (count: number, seed: number, { firstShare = 0.2 } = {}): ReadonlyArray<DriftRules.VerifiedCounts> => {
  const bits = SeededRandom.make(seed)
  const share = () => bits() / 2 ** 32
  return Array.from({ length: count }, () => ({
    answer: share() < firstShare ? 1 : 2 + Math.floor(share() * 4)
  }))
}

const after = (all: ReadonlyArray<DriftRules.VerifiedCounts>) => all.reduce(DriftRules.add, DriftRules.none)
const driftOf = (all: ReadonlyArray<DriftRules.VerifiedCounts>) => DriftRules.driftOf(after(all))!

describe("drift", () => {
  it("is not told before there are calls enough to compare", () => {
    assert.isNull(DriftRules.driftOf(DriftRules.none))
    assert.isNull(DriftRules.driftOf(after(calls(249, 1))))
    assert.deepInclude(driftOf(calls(250, 1)), { before: 200, now: 50 })
  })

  it("is what chance makes it while nothing changes (P251)", () => {
    const drifts = Array.from({ length: 40 }, (_, seed) => driftOf(calls(400, seed + 1)))
    const mean = (of: (one: DriftRules.Drift) => number) => drifts.reduce((sum, one) => sum + of(one), 0) / 40
    const ratio = mean(({ labels }) => labels!.distance) / mean(({ labels }) => labels!.byChance)
    assert.closeTo(ratio, 1, 0.2)
  })

  it("shows answers that come more often, by the latest calls alone (P251)", () => {
    const { labels, now } = driftOf([...calls(900, 1), ...calls(200, 2, { firstShare: 0.6 })])
    assert.isAbove(labels!.distance, 3 * labels!.byChance)
    assert.closeTo(labels!.distance, 0.4, 0.15)
    assert.isTrue(now >= 100 && now <= 200)
  })

  it("knows nothing of what is not said", () => {
    const silent = Array.from({ length: 300 }, () => ({ answer: null }))
    assert.deepInclude(driftOf(silent), { labels: null })
  })
})
