import { assert, describe, it } from "@effect/vitest"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Schema from "effect/Schema"
import type { CapturedCall } from "../../src/call/CapturedCall.ts"
import type { CallTally } from "../../src/metrics/CallTally.ts"
import { MetricSeries, percentileOf, savedMicros, tQuantile, upstreamCosts } from "../../src/metrics/MetricRules.ts"
import { addLatencies, bucketOf, talliesOf } from "../../src/metrics/TallyRules.ts"

const talliesIn = (calls: ReadonlyArray<CapturedCall>, wanted: "hour" | "all") =>
  calls.flatMap(talliesOf).flatMap(([width, tally]) => (width === wanted ? [tally] : []))

const latenciesOf = (millis: ReadonlyArray<number>) =>
  millis.reduce<CallTally["latencies"]>((sum, one) => addLatencies(sum, { [bucketOf(one)]: 1 }), {})

/** Calls that a student answered and paid nothing for. */
const answeredBy = (deployment: string, answered: number) => new Map([[deployment, { answered, paidMicros: 0 }]])

const costsOf = (...costs: ReadonlyArray<number>) =>
  upstreamCosts(
    talliesIn(
      costs.map((costMicros) => Calls.call({ deployment: "dep_1", costMicros })),
      "all"
    )
  )

describe("a percentile of buckets", () => {
  const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
  const millis = Schema.Array(Schema.Union([upTo(5_000_000), upTo(40)])).check(Schema.isMinLength(1))

  it.prop("is in the bucket of the true percentile (P1302)", [millis, upTo(99)], ([all, below]) => {
    const percent = below + 1
    const rank = Math.ceil((all.length * percent) / 100)
    const exact = all.toSorted((a, b) => a - b)[rank - 1] ?? -1
    const estimate = percentileOf(latenciesOf(all), percent) ?? -1
    assert.strictEqual(bucketOf(estimate), bucketOf(exact), `${estimate} for ${exact}`)
  })

  it("is exact where a bucket holds one value, and null without values (P1302)", () => {
    const latencies = latenciesOf([...Array.from({ length: 94 }, () => 3), 8, 8, 8, 8, 8, 8])
    assert.deepStrictEqual([percentileOf(latenciesOf([3, 4, 5]), 50), percentileOf(latencies, 50)], [4, 3])
    assert.strictEqual(bucketOf(percentileOf(latencies, 95) ?? -1), bucketOf(8))
    assert.isNull(percentileOf({}, 50))
  })
})

describe("what students saved", () => {
  it("is their calls at the mean cost of the upstream's answers, with a prediction interval (P1303)", () => {
    // The mean is 20, the variance 100, and t of 2 degrees of freedom 4.3027: 4.3027 * sqrt(100 * (16 / 3 + 4)) = 131.45.
    const saved = savedMicros(answeredBy("dep_1", 4), costsOf(10, 20, 30))
    assert.strictEqual(saved?.value, 80)
    assert.strictEqual(saved?.low, 0)
    assert.closeTo(saved?.high ?? 0, 80 + 131.45, 0.01)
  })

  it("has no spread where all answers cost the same, and is unknown before two answers have a cost (P1303)", () => {
    const saved = savedMicros(answeredBy("dep_1", 1_000), costsOf(7, 7, 7, 7, 7))
    assert.deepStrictEqual(saved, { value: 7_000, low: 7_000, high: 7_000 })
    assert.isNull(savedMicros(answeredBy("dep_1", 4), costsOf(7)))
    assert.isNull(savedMicros(answeredBy("dep_2", 4), costsOf(7, 8)))
    assert.isNull(savedMicros(new Map(), costsOf(7, 8)))
  })

  it("is inside of its interval in 95 of 100 cases, give or take one and a half (P1303)", () => {
    // A linear congruential generator: the cases are the same in each run.
    let state = 1
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 32
    }
    const cost = () => Math.round(1_000 + 500 * (random() + random() + random()))
    const rounds = 4_000
    let covered = 0
    for (let round = 0; round < rounds; round++) {
      const pricedCalls = 8
      const costs = Array.from({ length: pricedCalls }, cost)
      const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
      const known = { pricedCalls, costMicros: sum(costs), costSquares: sum(costs.map((one) => one ** 2)) }
      const saved = savedMicros(answeredBy("dep_1", 20), new Map([["dep_1", known]]))
      const truth = sum(Array.from({ length: 20 }, cost))
      if (saved !== null && saved.low <= truth && truth <= saved.high) covered += 1
    }
    assert.closeTo(covered / rounds, 0.95, 0.015)
  })

  it.each([
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [4, 2.776],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [1_000, 1.962]
  ])("uses the quantile of %i degrees of freedom, which tables give as %d", (freedom, table) => {
    assert.closeTo(tQuantile(freedom) / table, 1, 0.005)
  })
})

describe("what a student has paid for embeddings", () => {
  it("is subtracted from what it saved, also where the upstream answered (P1772)", () => {
    const of = { createdAt: 0, deployment: "dep_1" }
    const series = new MetricSeries(undefined)
    const calls = [
      Calls.call({ ...of, servedBy: "student", costMicros: null, studentMicros: 3 }),
      Calls.call({ ...of, servedBy: "upstream_fallback", costMicros: 12, studentMicros: 4 })
    ]
    for (const tally of talliesIn(calls, "hour")) series.add(tally)
    const [{ studentCalls, tally } = assert.fail("no row")] = series.rows
    assert.deepInclude(tally, { costMicros: 12, studentMicros: 7 })
    const costs = costsOf(7, 7, 7)
    assert.deepStrictEqual(savedMicros(answeredBy("dep_1", 1), costs), { value: 7, low: 7, high: 7 })
    assert.deepStrictEqual(savedMicros(studentCalls, costs), { value: 0, low: 0, high: 0 })
  })
})

describe("a series", () => {
  const hour = 3_600_000
  const calls = [
    Calls.call({ createdAt: 2 * hour, source: "src_2", model: "b" }),
    Calls.call({ createdAt: hour, source: "src_1", model: "b", servedBy: "upstream_fallback", deployment: "dep_1" }),
    Calls.call({ createdAt: hour, source: null, model: "svc:a", servedBy: "student", deployment: "dep_1" }),
    Calls.call({ createdAt: hour + 1, source: null, model: "svc:b", servedBy: "student", deployment: "dep_2" }),
    Calls.call({ createdAt: 2 * hour, source: "src_1", model: "b" })
  ]
  const rowsBy = (by: ConstructorParameters<typeof MetricSeries>[0]) => {
    const series = new MetricSeries(by)
    for (const tally of talliesIn(calls, "hour")) series.add(tally)
    return series.rows.map(({ group, startsAt, studentCalls, tally }) => [
      startsAt / hour,
      group,
      tally.calls,
      Object.fromEntries([...studentCalls].map(([deployment, { answered }]) => [deployment, answered]))
    ])
  }

  it.each([
    [
      undefined,
      [
        [1, null, 3, { dep_1: 1, dep_2: 1 }],
        [2, null, 2, {}]
      ]
    ],
    [
      "source",
      [
        [1, null, 2, { dep_1: 1, dep_2: 1 }],
        [1, "src_1", 1, {}],
        [2, "src_1", 1, {}],
        [2, "src_2", 1, {}]
      ]
    ],
    [
      "model",
      [
        [1, "b", 1, {}],
        [1, "svc:a", 1, { dep_1: 1 }],
        [1, "svc:b", 1, { dep_2: 1 }],
        [2, "b", 2, {}]
      ]
    ],
    [
      "served_by",
      [
        [1, "student", 2, { dep_1: 1, dep_2: 1 }],
        [1, "upstream_fallback", 1, {}],
        [2, "upstream", 2, {}]
      ]
    ],
    [
      "deployment",
      [
        [1, "dep_1", 2, { dep_1: 1 }],
        [1, "dep_2", 1, { dep_2: 1 }],
        [2, null, 2, {}]
      ]
    ]
  ] as const)("by %s has a row for each interval and group, in order (P1304)", (by, rows) => {
    assert.deepStrictEqual<unknown>(rowsBy(by), rows)
  })
})
