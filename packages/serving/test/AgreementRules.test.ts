/** The laws of the confidence sequence, on simulated deployments: seeded, one comparison after the other. */
import { assert, describe, it } from "@effect/vitest"
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import { caseCount } from "@limbeck/testing/Campaign"
import * as AgreementRules from "../src/guard/AgreementRules.ts"

/** Of each comparison in turn: whether the student says the same. */
type Student = (nth: number) => number

const agreeing =
  (share: number): Student =>
  () =>
    share

const dropping =
  (from: number, after: number): Student =>
  (nth) =>
    nth < after ? from : from - 0.1

/** After how many comparisons it is found to be below the floor; null: never. Looked at after each that disagrees. */
const guardedAfter = (student: Student, floor: number, comparisons: number, seed: number): number | null => {
  const bits = SeededRandom.make(seed)
  let known = AgreementRules.none
  for (let nth = 0; nth < comparisons; nth++) {
    const agrees = bits() / 2 ** 32 < student(nth)
    known = AgreementRules.add(known, agrees)
    if (!agrees && AgreementRules.isBelow(known, floor)) return nth + 1
  }
  return null
}

/** Simulated deployments of each law. A law near its bound needs them all: of 150, the shares vary by two points. */
const whole = 600
const count = caseCount(150, whole)

const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed + 1)

const shareOf = <A>(all: ReadonlyArray<A>, is: (one: A) => boolean) => all.filter(is).length / all.length

const known = (compared: number, agreed: number) => AgreementRules.of({ compared, agreed })

describe("the agreement of a student", () => {
  it("that is exactly as good as it must be: of 1,000, at most 5 % are ever guarded within 10,000 calls (P212)", () => {
    // Two percent of the calls are verified.
    const found = seeds(1_000).map((seed) => guardedAfter(agreeing(0.9), 0.9, 200, seed))
    assert.isAtMost(
      shareOf(found, (after) => after !== null),
      0.05
    )
  })

  it("and hardly more where every one of 10,000 calls is verified (P212)", () => {
    const found = seeds(60).map((seed) => guardedAfter(agreeing(0.95), 0.95, 10_000, seed))
    assert.isAtMost(
      shareOf(found, (after) => after !== null),
      0.05
    )
  })

  it.each([
    [0.8, 0, count],
    [0.8, 500, count],
    [0.8, 1_000, whole],
    [0.85, 0, count],
    [0.9, 500, count],
    [0.9, 1_000, count],
    [0.95, 2_000, count]
  ])(
    "that drops by ten points below %d after %i comparisons is found within 500 more, in 95 of 100 (P213)",
    (floor, after, deployments) => {
      const found = seeds(deployments).map((seed) => guardedAfter(dropping(floor, after), floor, after + 500, seed))
      const late = shareOf(found, (at) => at === null)
      const early = shareOf(found, (at) => at !== null && at <= after)
      assert.isAtLeast(1 - late - early, 0.95 - early)
      assert.isAtMost(early, 0.05)
    }
  )

  it("is between the ends of its interval at every moment at once, in 95 of 100 (P212)", () => {
    const wrong = seeds(200).filter((seed) => {
      const bits = SeededRandom.make(seed)
      let so = AgreementRules.none
      for (let nth = 0; nth < 300; nth++) {
        so = AgreementRules.add(so, bits() / 2 ** 32 < 0.8)
        if (nth % 10 > 0) continue
        const { high, low } = AgreementRules.agreementOf(so)!
        if (low > 0.8 || high < 0.8) return true
      }
      return false
    })
    assert.isAtMost(wrong.length / 200, 0.05)
  })

  it("is unknown without a comparison, and the interval narrows around the share with more of them", () => {
    assert.isNull(AgreementRules.agreementOf(AgreementRules.none))
    const widths = [1, 10, 100, 1_000, 10_000].map((count) => {
      const { high, low, value } = AgreementRules.agreementOf(known(count, count * 0.9))!
      assert.closeTo(value, 0.9, 1e-9)
      assert.isTrue(0 <= low && low <= value && value <= high && high <= 1)
      return high - low
    })
    assert.deepStrictEqual(
      widths,
      widths.toSorted((a, b) => b - a)
    )
  })

  it("is below a floor exactly where the upper end of its interval is", () => {
    const so = known(200, 150)
    const { high } = AgreementRules.agreementOf(so)!
    assert.isTrue(AgreementRules.isBelow(so, high + 1e-6))
    assert.isFalse(AgreementRules.isBelow(so, high - 1e-6))
    assert.isFalse(AgreementRules.isBelow(so, 0))
    assert.strictEqual(AgreementRules.agreementOf(known(50, 50))?.high, 1)
    assert.strictEqual(AgreementRules.agreementOf(known(50, 0))?.low, 0)
  })

  it("keeps a bounded number of blocks, and every comparison in them", () => {
    let so = AgreementRules.none
    for (let nth = 0; nth < 12_345; nth++) so = AgreementRules.add(so, nth % 10 > 0)
    assert.isAtMost(so.blocks.length, 100)
    assert.deepStrictEqual(AgreementRules.totalOf(so), { compared: 12_345, agreed: 12_345 - 1_235 })
  })
})

/** A deployment: its floor is the lower bound of the holdout, whose answered rows are as the student is. */
const deployedAs = (share: number, rows: number, bits: () => number) => {
  const agreed = Array.from({ length: rows }, () => bits() / 2 ** 32 < share).filter(Boolean).length
  const floor = AgreementCurve.intervalOf({ answered: rows, agreed })?.low ?? 0
  return { floor, holdout: { compared: rows, agreed } }
}

/** After how many comparisons a deployment is guarded, by either law; null: never. `given`: the floor that its owner gave. */
const breachedAfter = (
  student: Student,
  share: number,
  options: { rows: number; comparisons: number; seed: number; given?: number }
) => {
  const bits = SeededRandom.make(options.seed)
  const { floor: bound, holdout } = deployedAs(share, options.rows, bits)
  const isGiven = options.given !== undefined
  const floor = options.given ?? bound
  let comparisons = AgreementRules.none
  for (let nth = 0; nth < options.comparisons; nth++) {
    const agrees = bits() / 2 ** 32 < student(nth)
    comparisons = AgreementRules.add(comparisons, agrees)
    const isBreached = () => AgreementRules.isBreached(comparisons, { floor, isGiven, evidence: holdout })
    if (!agrees && isBreached()) return { floor, at: nth + 1 }
  }
  return { floor, at: null }
}

describe("a deployment whose floor was given", () => {
  it.each([
    [0.95, 0, 0.8, 0.8],
    [0.95, 1_000, 0.8, 0.8],
    [0.95, 1_000, 0.85, 0.8],
    [0.97, 0, 0.9, 0.9],
    [0.95, 1_000, 0.6, 0.5]
  ])(
    "of %d that after %i comparisons falls to %d: as good as the %d asked for, so at most one in twenty are guarded (P212)",
    (share, after, now, given) => {
      const student: Student = (nth) => (nth < after ? share : now)
      const options = { rows: 300, comparisons: after + 2_000, given }
      const all = seeds(200).map((seed) => breachedAfter(student, share, { ...options, seed }))
      assert.isAtMost(
        shareOf(all, ({ at }) => at !== null),
        0.05
      )
    }
  )
})

/** Five working days above the mean, two days below it: of 50 comparisons a day, so that the mean is the share. */
const weekly =
  (share: number): Student =>
  (nth) =>
    nth % 350 < 250 ? share + 0.008 : share - 0.02

const runs = Number(process.env["GUARD_SIMULATIONS"] ?? 100)

describe("a deployment whose floor is the bound of its holdout", () => {
  const shapes = [0.98, 0.96, 0.94, 0.92, 0.9].flatMap((share) => [300, 1_000].map((rows) => [share, rows] as const))

  it.each(shapes)(
    "of %d on %i rows: a fall of ten points is found within 500 comparisons in 9 of 10 (P1144)",
    (share, rows) => {
      const all = seeds(runs)
        .map((seed) => breachedAfter(dropping(share, 1_000), share, { rows, comparisons: 1_500, seed }))
        .filter(({ at, floor }) => floor >= 0.85 && (at === null || at > 1_000))
      assert.isAtLeast(
        shareOf(all, ({ at }) => at !== null),
        0.9
      )
    }
  )

  it.each(shapes)(
    "of %d on %i rows: of those that stay, and swing with the week, one in twenty at most are guarded (P1144)",
    (share, rows) => {
      for (const student of [agreeing(share), weekly(share)]) {
        const all = seeds(runs).map((seed) => breachedAfter(student, share, { rows, comparisons: 2_000, seed }))
        // One standard error more than the share, for so few deployments.
        const slack = Math.sqrt((0.05 * 0.95) / runs)
        assert.isAtMost(
          shareOf(all, ({ at }) => at !== null),
          0.05 + slack
        )
      }
    }
  )

  it("has not fallen without comparisons, without a holdout, and while it is above its floor (P1144)", () => {
    const holdout = { compared: 300, agreed: 290 }
    assert.isFalse(AgreementRules.hasFallen(AgreementRules.none, 0.9, holdout))
    assert.isFalse(AgreementRules.hasFallen(known(50, 0), 0.9, { compared: 0, agreed: 0 }))
    assert.isFalse(AgreementRules.hasFallen(known(1_000, 910), 0.9, holdout))
    assert.isTrue(AgreementRules.hasFallen(known(50, 25), 0.9, holdout))
    assert.isFalse(AgreementRules.hasFallen(known(50, 50), 0.9, { compared: 300, agreed: 0 }))
  })
})
