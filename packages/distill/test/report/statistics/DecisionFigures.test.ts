/** The figures of one question, against sums written out by hand and against the definitions over all pairs. */
import * as AgreementThreshold from "@limbeck/distill/report/statistics/AgreementThreshold"
import * as DecisionFigures from "@limbeck/distill/report/statistics/DecisionFigures"
import * as Generator from "@limbeck/testing/random/Generator"
import { describe, expect, it } from "vitest"

const predicate = (student: number, teacher: number): DecisionFigures.JudgedRow => ({
  student: [1 - student, student],
  teacher: [1 - teacher, teacher]
})

describe("the figures of a question", () => {
  it("of scores follow the definitions (P1250)", () => {
    const rows = [
      { student: [0.5, 0.3, 0.2], teacher: [0.7, 0.2, 0.1] },
      { student: [0.1, 0.3, 0.6], teacher: [0.1, 0.8, 0.1] }
    ]
    const figures = DecisionFigures.of("score", rows)!
    expect(figures).toMatchObject({ rows: 2, agreed: 1, auc: null })
    expect(figures.brier).toBeCloseTo((0.04 + 0.01 + 0.01 + 0.25 + 0.25) / 2, 12)
    const first = -(0.7 * Math.log(0.5) + 0.2 * Math.log(0.3) + 0.1 * Math.log(0.2))
    const second = -(0.1 * Math.log(0.1) + 0.8 * Math.log(0.3) + 0.1 * Math.log(0.6))
    expect(figures.logLoss).toBeCloseTo((first + second) / 2, 12)
    expect(figures.meanAbsoluteError).toBeCloseTo((0.3 + 0.5) / 2, 12)
    expect(figures.rankedProbabilityScore).toBeCloseTo(((0.04 + 0.01) / 2 + 0.25 / 2) / 2, 12)
    // Confidences .5 (right) and .6 (wrong), each in a bin of its own.
    expect(figures.calibrationError).toBeCloseTo((0.5 + 0.6) / 2, 12)
    expect(figures.curve).toEqual([
      { threshold: 0, answered: 2, agreed: 1 },
      { threshold: 0.5, answered: 2, agreed: 1 },
      { threshold: 0.6, answered: 1, agreed: 0 }
    ])
    expect(DecisionFigures.of("choice", rows)).toMatchObject({ meanAbsoluteError: null, rankedProbabilityScore: null })
    expect(DecisionFigures.of("score", [])).toBeNull()
  })

  it("of predicates have the area under the curve over all pairs, and the squared difference of P(true) (P1250)", () => {
    for (let seed = 0; seed < 50; seed++) {
      const { below } = Generator.make(seed)
      const rows = Array.from({ length: 2 + below(40) }, () => predicate(below(11) / 10, below(11) / 10))
      const positives = rows.filter(({ teacher }) => teacher[1]! > teacher[0]!)
      const negatives = rows.filter(({ teacher }) => teacher[1]! <= teacher[0]!)
      const pairs = positives.flatMap((high) => negatives.map((low) => Math.sign(high.student[1]! - low.student[1]!)))
      const auc =
        pairs.length === 0 ? null : pairs.reduce<number>((sum, sign) => sum + (sign + 1) / 2, 0) / pairs.length
      const figures = DecisionFigures.of("predicate", rows)!
      if (auc === null) expect(figures.auc).toBeNull()
      else expect(figures.auc).toBeCloseTo(auc, 12)
      const squares = rows.reduce((sum, { student, teacher }) => sum + (student[1]! - teacher[1]!) ** 2, 0)
      expect(figures.brier).toBeCloseTo(squares / rows.length, 12)
    }
  })

  it("give a finite log loss where the student rules out the teacher's answer (P1250)", () => {
    expect(DecisionFigures.of("predicate", [predicate(0, 1)])!.logLoss).toBeCloseTo(-Math.log(0.00005), 12)
  })

  it("have a least threshold whose lower bound reaches the target, and none where it is never reached (P1251)", () => {
    const answers = (count: number, confidence: number, agrees: (at: number) => boolean) =>
      Array.from({ length: count }, (_, at) => ({ confidence, agrees: agrees(at) }))
    const all = [...answers(200, 0.9, () => true), ...answers(200, 0.60005, (at) => at % 2 === 0)]
    expect(AgreementThreshold.leastOf(all, 0.95)).toBe(0.9)
    expect(AgreementThreshold.leastOf(all, 0.6)).toBe(0.6)
    expect(AgreementThreshold.leastOf(all, 0.999)).toBeNull()
    expect(AgreementThreshold.leastOf([], 0.5)).toBeNull()
    expect(AgreementThreshold.agreementOf(all)).toMatchObject({ value: 0.75 })
    expect(AgreementThreshold.agreementOf([])).toBeNull()
    for (let seed = 0; seed < 50; seed++) {
      const { below } = Generator.make(seed)
      const random = answers(5 + below(300), 0, () => false).map(() => {
        const confidence = below(20) / 20
        return { confidence, agrees: below(20) / 20 <= confidence }
      })
      const isGood = (threshold: number) =>
        (AgreementThreshold.agreementOf(random.filter(({ confidence }) => confidence >= threshold))?.low ?? 0) >= 0.8
      const good = [...new Set(random.map(({ confidence }) => confidence))].filter(isGood)
      expect(AgreementThreshold.leastOf(random, 0.8)).toBe(good.length === 0 ? null : Math.min(...good))
    }
  })
})
