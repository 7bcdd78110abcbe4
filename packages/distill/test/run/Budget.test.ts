import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import * as Budget from "@limbeck/distill/run/Budget"
import type { Run, Usage } from "@limbeck/distill/run/Run"
import { newRun } from "./MachineRuns.ts"

const sft = 2

const of = (budgetMicros: number): Run => ({
  ...newRun(["sft", "eval"]),
  budgetMicros,
  prices: { microsPerGpuSecond: 20, microsPerMillionJudgeTokens: 1_000_000 }
})

const seconds = (gpuSeconds: number): Usage => ({ gpuSeconds, judgeTokens: 0 })

describe("Budget", () => {
  it("seconds and tokens cost what they cost, in whole micro-dollars, rounded up", () => {
    const { prices } = of(0)
    assert.strictEqual(Budget.costOf(prices, { gpuSeconds: 1.01, judgeTokens: 3 }), 21 + 3)
    assert.strictEqual(Budget.costOf(prices, Budget.noUsage), 0)
  })

  it("what is reserved and spent never passes the budget, to the last micro-dollar", () => {
    const run = Budget.spend(of(1_000), sft, seconds(30))
    assert.strictEqual(run.totals.costMicros, 600)
    assert.strictEqual(Budget.reserve(run, sft, seconds(50))?.reservedMicros, 400)
    assert.isNull(Budget.reserve(run, sft, seconds(50.01)))
  })

  it("a stage that tells the same again, or begins again from less, is counted once", () => {
    const once = Budget.spend(of(1_000), sft, { gpuSeconds: 30, judgeTokens: 7 })
    const again = Budget.spend(Budget.spend(once, sft, seconds(10)), sft, { gpuSeconds: 30, judgeTokens: 7 })
    assert.deepStrictEqual(again.totals, { gpuSeconds: 30, judgeTokens: 7, costMicros: 607 })
    assert.deepStrictEqual(Budget.spend(again, sft, seconds(31)).totals.costMicros, 627)
  })

  it("stages add up", () => {
    const run = Budget.spend(Budget.spend(of(1_000), sft, seconds(10)), 4, seconds(5))
    assert.strictEqual(run.totals.costMicros, 300)
    assert.strictEqual(run.totals.gpuSeconds, 15)
  })

  it("spending uses up what was reserved", () => {
    const reserved = Budget.reserve(of(1_000), sft, seconds(20))!
    assert.strictEqual(reserved.reservedMicros, 400)
    assert.strictEqual(Budget.spend(reserved, sft, seconds(5)).reservedMicros, 300)
    assert.strictEqual(Budget.spend(reserved, sft, seconds(25)).reservedMicros, 0)
  })

  it("who spends without asking is seen, and what is written stays within the budget", () => {
    const run = of(1_000)
    assert.isTrue(Budget.holds(run, sft, seconds(50)))
    assert.isFalse(Budget.holds(run, sft, seconds(51)))
    assert.strictEqual(Budget.spend(run, sft, seconds(51)).totals.costMicros, 1_000)
  })

  it("in any order of asking and spending, reserved + spent stays within the budget and spend only goes up (P48)", () => {
    const bits = SeededRandom.make(7)
    const random = () => bits() / 2 ** 32
    for (let trial = 0; trial < 300; trial++) {
      let run = of(1_000)
      for (let step = 0; step < 30; step++) {
        const asks = random() < 0.5
        const seq = random() < 0.5 ? 2 : 4
        const usage = { gpuSeconds: 80 * random(), judgeTokens: Math.floor(200 * random()) }
        const before = run
        run = (asks ? Budget.reserve(run, seq, usage) : Budget.spend(run, seq, usage)) ?? run
        assert.isAtMost(run.totals.costMicros + (asks ? run.reservedMicros : 0), run.budgetMicros)
        assert.isAtLeast(run.totals.costMicros, before.totals.costMicros)
      }
    }
  })
})
