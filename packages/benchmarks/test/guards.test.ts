/** The simulated deployments of the guard's benchmark, with few seeds (P1708). */
import { assert, describe, it } from "@effect/vitest"
import * as GuardTrials from "../src/GuardTrials.ts"
import * as NewLabelTrials from "../src/NewLabelTrials.ts"

const deployments = 100

describe("simulated deployments under a guard (P1708)", () => {
  it("have the agreement whose holdout has the floor for its lower bound", () => {
    for (const floor of [0.85, 0.95]) {
      const [small, large] = [300, 1_000].map((rows) => GuardTrials.agreementAt(floor, rows))
      assert.isTrue(floor < large! && large! < small! && small! < 1)
    }
  })

  it.each([
    [0.85, 300],
    [0.95, 1_000]
  ])(
    "at a floor of %d by %i rows: a fall is found, sudden or slow, and a rhythm of the week is none",
    (floor, rows) => {
      const deployed = { agreement: GuardTrials.agreementAt(floor, rows), rows }
      for (const name of ["steady", "weekly"] as const) {
        assert.isAtMost(GuardTrials.outcomeOf(name, deployed, deployments).falseAlarms, 0.08, name)
      }
      for (const name of ["sudden", "slow"] as const) {
        const { falseAlarms, found } = GuardTrials.outcomeOf(name, deployed, deployments)
        assert.isAtMost(falseAlarms, 0.05, name)
        assert.isAtLeast(found ?? 0, 0.85, name)
      }
    }
  )

  it("are the same for the same seed", () => {
    const of = (seed: number) => GuardTrials.guardedAfter("sudden", { agreement: 0.97, rows: 300 }, seed)
    assert.deepStrictEqual([of(1), of(2)], [of(1), of(2)])
    assert.notStrictEqual(of(1), of(2))
  })

  it("notice new labels in half of the traffic within 1,000 calls", () => {
    const { falseAlarms, found } = NewLabelTrials.outcomeOf(10, 20)
    assert.isAtMost(falseAlarms, 0.05)
    assert.isAtLeast(found, 0.95)
  })
})
