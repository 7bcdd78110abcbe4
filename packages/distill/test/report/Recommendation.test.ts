/** Which threshold a report recommends, and why none. */
import { assert, describe, it } from "@effect/vitest"
import * as Recommendation from "@limbeck/distill/report/Recommendation"
import { luck } from "@limbeck/testing/random/Luck"
import * as Schema from "effect/Schema"

type Item = Recommendation.RecommendedFrom

const answered = (count: number, confidence: number | null, fields: Partial<Item> = {}) =>
  Array.from({ length: count }, (): Item => ({ student: "a", teacher: "a", agrees: true, confidence, ...fields }))

const wrong = { student: "b", agrees: false }
const costs = { student: 0.01, teacher: 1 }

describe("a recommendation", () => {
  it("is the lowest threshold that the test lets pass, with intervals and what it saves (P1146)", () => {
    const items = [...answered(400, 0.9), ...answered(4, 0.8, wrong), ...answered(96, 0.5, wrong)]
    const { reason, recommendation } = Recommendation.make(items, costs, 30_000)
    assert.deepInclude(recommendation, { threshold: 0.8, target: 0.98, target_is: "one", error: 0.1 })
    assert.strictEqual(recommendation?.share.value, 404 / 500)
    assert.strictEqual(recommendation?.agreement.value, 496 / 500)
    const { saving_usd_per_1000: saving, saving_usd_per_month: month, share } = recommendation!
    assert.approximately(saving?.value ?? 0, 0.98 * share.value - 0.01, 1e-6)
    // 30,000 calls add little chance to that of the rows.
    assert.approximately(saving?.low ?? 0, 0.98 * share.low - 0.01, 1e-3)
    assert.isBelow(saving?.low ?? 1, 0.98 * share.low - 0.01)
    assert.approximately(month?.value ?? 0, 30 * (saving?.value ?? 0), 1e-4)
    assert.match(reason, /below_confidence 0.8 the student answers 80.8 % of the calls/)
  })

  it("predicts the saving of the next calls: it is within the interval in 95 of 100 (P1707)", () => {
    const calls = 5_000
    const draws = 200
    const next = luck(7)
    const drawn = (count: number, share: number) => {
      let sum = 0
      for (let nth = 0; nth < count; nth++) sum += Number(next() < share)
      return sum
    }
    for (const [rows, share] of [
      [300, 0.5],
      [600, 0.96],
      [600, 0.25]
    ] as const) {
      const within = Array.from({ length: draws }, () => {
        const own = drawn(rows, share)
        const items = [...answered(own, 0.9), ...answered(rows - own, 0.5, wrong)]
        const { recommendation } = Recommendation.make(items, costs, calls)
        const saving = recommendation?.saving_usd_per_1000
        const spared = drawn(recommendation?.threshold === 0.9 ? drawn(calls, share) : calls, 0.98) / calls - 0.01
        return saving != null && saving.low <= spared && spared <= saving.high
      }).filter(Boolean).length
      assert.isAtLeast(within / draws, 0.92, `${rows} rows, ${share}`)
      assert.isAtMost(within / draws, 0.99, `${rows} rows, ${share}`)
    }
  })

  it("predicts fewer calls less surely, and no share outside of 0 to 1 (P1707)", () => {
    const widthOf = (month: number | null) => {
      const saving = Recommendation.make(answered(300, 0.9), costs, month).recommendation?.saving_usd_per_1000
      assert.isTrue(saving != null && -0.01 <= saving.low && saving.high <= 0.99)
      return saving!.high - saving!.low
    }
    assert.isAbove(widthOf(10), widthOf(1_000))
    assert.isAbove(widthOf(1_000), widthOf(100_000))
    assert.strictEqual(widthOf(null), widthOf(5_000))
  })

  it("says what it saves a month, or why that is unknown (P1314)", () => {
    const items = answered(300, 0.9)
    const reasonOf = (prices: Recommendation.Costs, month: number | null) =>
      Recommendation.make(items, prices, month).reason
    assert.match(reasonOf(costs, 30_000), /At the 30000 calls of the last 30 days it saves \$29.1 a month \(\$28.7 to/)
    assert.match(reasonOf(costs, null), /per month is unknown, because only a version of captured calls tells/)
    assert.match(reasonOf({ student: 0, teacher: null }, 1), /the cost of the teacher is: its model needs a price/)
    assert.match(reasonOf({ student: null, teacher: 1 }, 1), /the cost of the student is: its endpoint needs prices/)
    assert.deepStrictEqual(Recommendation.make(items, costs, 0).recommendation?.saving_usd_per_month?.value, 0)
    assert.match(reasonOf({ student: 2, teacher: 1 }, 1), /It pays below \$0.98 per 1,000 calls/)
  })

  it("says how many more rows it would take, and where none would do (P1315)", () => {
    const moreOf = (items: ReadonlyArray<Item>) => {
      const { reason, recommendation } = Recommendation.make(items, costs)
      assert.isNull(recommendation)
      return Number(/(\d+) more\./.exec(reason)?.[1] ?? Number.NaN)
    }
    for (const rows of [1, 60, 113]) assert.strictEqual(moreOf(answered(rows, 0.9)), 114 - rows)
    // One of a hundred answers is lost: so many rows of the same kind pass.
    const few = (times: number) => [...answered(3 * times, 0.9, wrong), ...answered(297 * times, 0.9)]
    const more = moreOf(few(1))
    assert.isTrue(100 < more && more < 600, `${more}`)
    assert.isNotNull(Recommendation.make(few(Math.ceil((300 + more) / 300)), costs).recommendation)
    const lost = Recommendation.make([...answered(20, 0.9, wrong), ...answered(280, 0.9)], costs)
    assert.match(lost.reason, /More holdout rows of this kind do not change that/)
  })

  it("takes share, agreement and saving by weight, and tells how little few heavy rows say (P1311)", () => {
    const weighed = [...answered(200, 0.9, { weight: 4 }), ...answered(200, 0.5, { ...wrong, weight: 1 })]
    const { recommendation } = Recommendation.make(weighed, costs)
    assert.deepInclude(recommendation, { threshold: 0.9, target: 0.98 })
    assert.strictEqual(recommendation?.share.value, 800 / 1_000)
    assert.strictEqual(recommendation?.agreement.value, 1)
    assert.approximately(recommendation?.saving_usd_per_1000?.value ?? 0, 0.98 * 0.8 - 0.01, 1e-6)
    const plain = Recommendation.make([...answered(200, 0.9), ...answered(200, 0.5, wrong)], costs).recommendation
    assert.isAbove(plain?.agreement.low ?? 0, recommendation?.agreement.low ?? 1)
    const heavy = Recommendation.make([...answered(20, 0.9, { weight: 50 }), ...answered(400, 0.5, wrong)], costs)
    assert.isNull(heavy.recommendation)
    assert.match(
      heavy.reason,
      /of 420 rows, which by their weights tell as little as 28, even.*At least 114 are needed/
    )
  })

  it("says why there is none: too few rows, answers that lose, no confidence, no saving, nothing evaluated (P1146)", () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<Item>, Recommendation.Costs, RegExp]> = [
      [[], costs, /Nothing was evaluated/],
      [answered(1, 0.9), costs, /of 1 row even a student without an error.*At least 114 are needed/],
      [answered(113, 0.9), costs, /of 113 rows/],
      [answered(300, 0.9, wrong), costs, /300 of 300 answers lost, 0 gained/],
      [answered(300, null), costs, /tells no confidence/],
      [answered(300, 0.9), { student: 2, teacher: 1 }, /cost as much as it saves/]
    ]
    for (const [items, prices, words] of cases) {
      const { reason, recommendation } = Recommendation.make(items, prices)
      assert.isNull(recommendation)
      assert.match(reason, words)
    }
    assert.isNotNull(Recommendation.make(answered(114, 0.9), costs).recommendation)
    const unpriced = Recommendation.make(answered(300, 0.9), { student: null, teacher: null }).recommendation
    assert.deepInclude(unpriced, { saving_usd_per_1000: null, saving_usd_per_month: null })
  })

  it("goes by what the teacher says again, so that its own errors do not count against a good student (P1146)", () => {
    // Twenty prompts asked ten times: the teacher errs once in each, and the student never.
    const asked = Array.from({ length: 20 }, (_, prompt) => [
      ...answered(9, 0.95, { promptKey: `${prompt}` }),
      ...answered(1, 0.95, { promptKey: `${prompt}`, teacher: "c", agrees: false })
    ]).flat()
    const { reason, recommendation, teacherItself } = Recommendation.make(asked, costs)
    assert.deepInclude(teacherItself, { value: 160 / 200, rows: 200, method: "repeated_calls" })
    assert.deepInclude(recommendation, { threshold: 0, target: 0.8 - 0.02, target_is: "teacher_itself" })
    assert.match(reason, /An error that the teacher makes each time does not show/)
    const once = asked.map(({ promptKey: _, ...item }) => item)
    assert.isNull(Recommendation.make(once, costs).recommendation)
    assert.match(Recommendation.make(once, costs).reason, /The teacher was asked once/)
  })

  it("goes by reviewers from 100 reviewed rows on (P1146)", () => {
    const verdict = { student: true, teacher: false }
    const disputed = (count: number) => [...answered(count, 0.9, { ...wrong, verdict }), ...answered(200, 0.9)]
    assert.strictEqual(Recommendation.make(disputed(200), costs).recommendation?.target_is, "reviewed")
    assert.isNull(Recommendation.make(disputed(99), costs).recommendation)
    assert.strictEqual(Recommendation.make(disputed(114), costs).recommendation?.target_is, "reviewed")
  })

  it("is finite, whatever the rows are (P1146)", () => {
    const encode = Schema.encodeSync(Recommendation.Recommendation)
    for (const count of [1, 2, 99, 500]) {
      for (const confidence of [0, 0.5, 1, null]) {
        for (const fields of [{}, wrong]) {
          const { recommendation, teacherItself } = Recommendation.make(
            answered(count, confidence, { ...fields, promptKey: "one" }),
            { student: 0, teacher: 0 },
            0
          )
          if (recommendation !== null) encode(recommendation)
          if (teacherItself !== null) assert.isTrue(Number.isFinite(teacherItself.value))
        }
      }
    }
  })
})
