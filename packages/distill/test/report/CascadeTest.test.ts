/** The fixed-sequence test of thresholds, on holdouts that are drawn again and again. */
import { assert, describe, it } from "@effect/vitest"
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import * as CascadeTest from "@limbeck/distill/report/statistics/CascadeTest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

const margin = 0.02
const error = 0.1

/** `isStudentRight` and `isTeacherRight` of the first answer, and of the second answer of the same teacher. */
interface Population {
  readonly teacherRight: number
  /** The student's share of right answers at a confidence. */
  readonly studentRight: (confidence: number) => number
  readonly confidence: (uniform: number) => number
}

const uniforms = (seed: number) => {
  const bits = SeededRandom.make(seed)
  return () => bits() / 2 ** 32
}

/** A row by the truth: what the cascade is judged by, which no test sees. */
const truthOf = (population: Population, next: () => number) => {
  const confidence = population.confidence(next())
  return { confidence, isStudentRight: next() < population.studentRight(confidence) }
}

/** Rows whose reference is the teacher's second answer: wrong answers meet if they are the same of the wrong labels. */
const holdoutOf = (
  population: Population,
  rows: number,
  next: () => number,
  labels = 1_000
): ReadonlyArray<CascadeTest.PairedRow> => {
  const answer = (isRight: boolean) => (isRight ? 0 : 1 + Math.floor(next() * (labels - 1)))
  return Array.from({ length: rows }, () => {
    const { confidence, isStudentRight } = truthOf(population, next)
    const [student, first, second] = [
      answer(isStudentRight),
      answer(next() < population.teacherRight),
      answer(next() < population.teacherRight)
    ]
    return { confidence, isStudentRight: student === second, isTeacherRight: first === second }
  })
}

const recommendedOf = (rows: ReadonlyArray<CascadeTest.PairedRow>): CascadeTest.TestedThreshold | undefined => {
  const curve = AgreementCurve.of(rows.map(({ confidence }) => ({ agrees: true, confidence })))
  const thresholds = curve.map(({ threshold }) => threshold)
  const itself = rows.filter(({ isTeacherRight }) => isTeacherRight).length / rows.length
  const tested = CascadeTest.marginAgainstItself(margin, itself, 1_000)
  return CascadeTest.run(rows, { thresholds, margin: tested, error }).findLast(({ p }) => p <= error)
}

/** Share of all calls that the student answers, and by how much the cascade is better than the teacher by the truth. */
const judged = (population: Population, threshold: number) => {
  const steps = 2_000
  let [answered, gained] = [0, 0]
  for (let step = 0; step < steps; step++) {
    const confidence = population.confidence((step + 0.5) / steps)
    if (confidence < threshold) continue
    answered++
    gained += population.studentRight(confidence) - population.teacherRight
  }
  return { share: answered / steps, gained: gained / steps }
}

/** The largest share that is not worse by more than the margin, in hindsight. */
const possible = (population: Population) =>
  Array.from({ length: 200 }, (_, step) => judged(population, step / 200))
    .filter(({ gained }) => gained >= -margin)
    .reduce((most, { share }) => Math.max(most, share), 0)

/** As the sets of public data are: easy ones, hard ones, and those whose student is surer than it should be. */
const populations = [0, 0.05, 0.1, 0.2].flatMap((noise): ReadonlyArray<readonly [string, Population]> => {
  const teacherRight = 1 - noise
  return [
    [
      `easy, ${noise} noise`,
      { teacherRight, confidence: (u) => 0.6 + 0.4 * u ** 0.2, studentRight: (c) => Math.min(1, c + 0.02) }
    ],
    [`middling, ${noise} noise`, { teacherRight, confidence: (u) => 0.3 + 0.7 * u ** 0.4, studentRight: (c) => c }],
    [
      `hard, ${noise} noise`,
      { teacherRight, confidence: (u) => 0.3 + 0.7 * u, studentRight: (c) => 0.2 + 0.8 * c ** 2 }
    ]
  ]
})

const draws = Number(process.env["CASCADE_SIMULATIONS"] ?? 40)

const simulate = (population: Population, rows: number) =>
  Array.from({ length: draws }, (_, seed) => {
    const found = recommendedOf(holdoutOf(population, rows, uniforms(1 + seed * 7_919 + rows)))
    return found === undefined ? { share: 0, gained: 0 } : judged(population, found.threshold)
  })

const simulations = new Map<Population, Map<number, ReturnType<typeof simulate>>>()

/** Several laws look at the same draws. */
const simulated = (population: Population, rows: number) => {
  const known = simulations.get(population) ?? new Map<number, ReturnType<typeof simulate>>()
  const draws = known.get(rows) ?? simulate(population, rows)
  simulations.set(population, known.set(rows, draws))
  return draws
}

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * A version of the traffic of a student that answered from `sure` on: one of ten of its answers was verified, and stands for ten
 * calls; all losses are among these.
 */
const trafficOf = (calls: number, lost: number, next: () => number): ReadonlyArray<CascadeTest.PairedRow> => {
  const sure = 0.7
  return Array.from({ length: calls }, () => ({
    confidence: next(),
    isTeacherRight: true,
    isKept: next() < 0.1
  })).flatMap(({ confidence, isKept, isTeacherRight }): ReadonlyArray<CascadeTest.PairedRow> => {
    const isSure = confidence >= sure
    if (isSure && !isKept) return []
    const isStudentRight = !isSure || next() >= lost / (1 - sure)
    return [{ confidence, isStudentRight, isTeacherRight, weight: isSure ? 10 : 1 }]
  })
}

describe("the test of a cascade", () => {
  it("keeps its error with two labels, whose wrong answers meet (P1703)", () => {
    const [noise, wide] = [0.2, 0.1]
    const teacherRight = 1 - noise
    const passed = (studentRight: number) => {
      const population: Population = { teacherRight, confidence: () => 1, studentRight: () => studentRight }
      const passing = Array.from({ length: 5 * draws }, (_, seed) => {
        const rows = holdoutOf(population, 600, uniforms(seed + 1), 2)
        const itself = rows.filter(({ isTeacherRight }) => isTeacherRight).length / rows.length
        const tested = CascadeTest.marginAgainstItself(wide, itself, 2)
        return CascadeTest.run(rows, { thresholds: [0], margin: tested, error })
      }).filter(([tested]) => (tested?.p ?? 1) <= error)
      return passing.length / (5 * draws)
    }
    assert.isAtMost(passed(teacherRight - wide), error + 2 * Math.sqrt((error * (1 - error)) / (5 * draws)))
    assert.isAtLeast(passed(teacherRight), 0.75)
    // A second answer is right as often as the first: of two labels a difference shows in 6 of 10 rows, of many in 8.
    const itself = (labels: number) => teacherRight ** 2 + noise ** 2 / (labels - 1)
    assert.closeTo(CascadeTest.marginAgainstItself(margin, itself(2), 2), 0.6 * margin, 1e-9)
    assert.closeTo(CascadeTest.marginAgainstItself(margin, itself(1_001), 1_001), 0.8 * margin, 1e-4)
    assert.strictEqual(CascadeTest.marginAgainstItself(margin, 0.4, 2), 0)
    assert.strictEqual(CascadeTest.marginAgainstItself(margin, 1, 1), margin)
  })

  it("keeps its error where few heavy rows stand for the calls on which the student loses (P1311)", () => {
    const lost = 0.021
    const broken = Array.from({ length: 10 * draws }, (_, seed) =>
      CascadeTest.run(trafficOf(4_000, lost, uniforms(seed + 1)), { thresholds: [0.7], margin, error })
    ).filter(([tested]) => (tested?.p ?? 1) <= error).length
    assert.isAtMost(broken / (10 * draws), error)
    // Of a student that loses little the same rows say so.
    const good = Array.from({ length: draws }, (_, seed) =>
      CascadeTest.run(trafficOf(12_000, 0.004, uniforms(seed + 1)), { thresholds: [0.7], margin, error })
    ).filter(([tested]) => (tested?.p ?? 1) <= error).length
    assert.isAtLeast(good / draws, 0.8)
  })

  it("counts rows of equal weights once each, and gains down and losses up by the heaviest (P1311)", () => {
    const rows = holdoutOf(populations[4]![1], 300, uniforms(5))
    const thresholds = [0.3, 0.6, 0.9]
    const plain = CascadeTest.run(rows, { thresholds, margin, error })
    const equal = CascadeTest.run(
      rows.map((row) => ({ ...row, weight: 0.3 })),
      { thresholds, margin, error }
    )
    assert.deepStrictEqual(
      equal.map(({ weights: _, ...tested }) => tested),
      plain.map(({ weights: _, ...tested }) => tested)
    )
    const row = (weight: number, isStudentRight: boolean, isTeacherRight: boolean) => ({
      confidence: 0.9,
      weight,
      isStudentRight,
      isTeacherRight
    })
    const [mixed] = CascadeTest.run(
      [row(4, true, true), row(1, true, false), row(1, false, true), row(3, true, true)],
      {
        thresholds: [0.9],
        margin,
        error
      }
    )
    assert.deepInclude(mixed, { rows: 2, answered: 2, gains: 0, losses: 1 })
    assert.deepStrictEqual(mixed?.weights, { answered: 9, gains: 1, losses: 1 })
  })

  it.each(populations)(
    "%s: is worse than the teacher by more than 2 points in at most 1 of 10 holdouts (P1145)",
    (_, population) => {
      for (const rows of [100, 300, 600]) {
        const broken = simulated(population, rows).filter(({ gained }) => gained < -margin).length
        // Two standard errors more, for so few draws.
        assert.isAtMost(broken / draws, error + 2 * Math.sqrt((error * (1 - error)) / draws), `${rows} rows`)
      }
    }
  )

  it("finds on the mean 3 of 4 calls of what is possible in hindsight with 600 rows, and half with 300 (P1145)", () => {
    for (const [rows, least] of [
      [600, 0.75],
      [300, 0.5]
    ] as const) {
      const shares = populations.map(([, population]) => mean(simulated(population, rows).map(({ share }) => share)))
      const hindsight = populations.map(([, population]) => possible(population))
      assert.isAtLeast(mean(shares) / mean(hindsight), least, `${rows} rows: ${shares} of ${hindsight}`)
    }
  })

  it("is the binomial test where nothing is gained, and a chance between 0 and 1 for all counts (P1145)", () => {
    assert.approximately(CascadeTest.pValue(100, 0, 0, 0.02), 0.98 ** 100, 1e-9)
    assert.approximately(CascadeTest.pValue(300, 0, 1, 0.02), 0.98 ** 300 + 300 * 0.02 * 0.98 ** 299, 1e-9)
    assert.strictEqual(CascadeTest.pValue(0, 0, 0, 0.02), 1)
    for (const rows of [1, 2, 50, 1_000]) {
      for (const [gains, losses] of [
        [0, rows],
        [rows, 0],
        [Math.floor(rows / 2), Math.ceil(rows / 2)],
        [0, 1],
        [1, 0]
      ] as const) {
        const p = CascadeTest.pValue(rows, gains, losses, 0.02)
        assert.isTrue(p >= 0 && p <= 1, `${rows} ${gains} ${losses}: ${p}`)
      }
    }
    assert.isBelow(CascadeTest.pValue(300, 20, 2, 0.02), CascadeTest.pValue(300, 2, 2, 0.02))
  })

  it("ends at the first threshold that fails, and tests none of no rows (P1145)", () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      confidence: index < 100 ? 0.9 : 0.5,
      isStudentRight: index < 100,
      isTeacherRight: true
    }))
    const tested = CascadeTest.run(rows, { thresholds: [0.1, 0.5, 0.9], margin, error })
    assert.deepStrictEqual(
      tested.map(({ answered, losses, threshold }) => [threshold, answered, losses]),
      [
        [0.9, 100, 0],
        [0.5, 200, 100]
      ]
    )
    assert.deepStrictEqual(CascadeTest.run([], { thresholds: [], margin, error }), [])
    assert.strictEqual(CascadeTest.run([], { thresholds: [0], margin, error })[0]?.p, 1)
  })
})
