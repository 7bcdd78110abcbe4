/**
 * Sets a student's distributions for one question beside its teacher's (contract 16.27). Probabilities stand in the order of the
 * question's options. Pure.
 */
import * as NumberRules from "@limbeck/capture/dialect/decisions/NumberRules"
import type { QuestionKind } from "@limbeck/capture/dialect/decisions/Question"
import * as AgreementCurve from "../AgreementCurve.ts"
import * as Calibration from "./internal/Calibration.ts"

/** Both distributions of one row. */
export interface JudgedRow {
  readonly student: ReadonlyArray<number>
  readonly teacher: ReadonlyArray<number>
  /** Whether the evidence is unlike what the student learnt from: at no threshold above 0 it answers. False by default. */
  readonly isNew?: boolean
}

export interface DecisionFigures {
  readonly rows: number
  /** Rows with the same most probable option. */
  readonly agreed: number
  /** Mean squared difference: of P(true) for a predicate, else summed over the options. */
  readonly brier: number
  /** Mean cross entropy of the teacher's distribution, in nats. */
  readonly logLoss: number
  /** Expected calibration error of the top probability, judged by the teacher's most probable option. */
  readonly calibrationError: number
  /** Of predicates; null without a row on each side of 0.5. */
  readonly auc: number | null
  /** Of scores, in levels. */
  readonly meanAbsoluteError: number | null
  /** Of scores, 0 to 1. */
  readonly rankedProbabilityScore: number | null
  readonly curve: AgreementCurve.AgreementCurve
}

/** A probability that four decimals show as 0. */
const leastProbability = 0.00005

const sumOf = <A>(items: ReadonlyArray<A>, term: (item: A, at: number) => number): number =>
  items.reduce((sum, item, at) => sum + term(item, at), 0)

const topOf = (probabilities: ReadonlyArray<number>): number => probabilities[NumberRules.mostProbable(probabilities)]!

export const agrees = ({ student, teacher }: JudgedRow): boolean =>
  NumberRules.mostProbable(student) === NumberRules.mostProbable(teacher)

const squaredDifference = (kind: QuestionKind, { student, teacher }: JudgedRow): number => {
  const squares = student.map((probability, at) => (probability - teacher[at]!) ** 2)
  return kind === "predicate" ? squares[1]! : sumOf(squares, (square) => square)
}

/** Half of the summed squared differences, 0 to 1: of a predicate that of P(true). */
export const differenceOf = (student: ReadonlyArray<number>, teacher: ReadonlyArray<number>): number =>
  sumOf(student, (probability, at) => (probability - (teacher[at] ?? 0)) ** 2) / 2

const crossEntropy = ({ student, teacher }: JudgedRow): number =>
  -sumOf(teacher, (weight, at) => (weight === 0 ? 0 : weight * Math.log(Math.max(student[at]!, leastProbability))))

/** The share of pairs, one from each side, whose student probabilities stand in the right order; a tie counts half. */
const aucOf = (rows: ReadonlyArray<JudgedRow>): number | null => {
  const sorted = rows.toSorted((a, b) => a.student[1]! - b.student[1]!)
  const isTrue = ({ teacher }: JudgedRow): boolean => NumberRules.mostProbable(teacher) === 1
  const positives = sorted.filter(isTrue).length
  const negatives = sorted.length - positives
  if (positives === 0 || negatives === 0) return null
  let ordered = 0
  let below = 0
  for (let from = 0; from < sorted.length; ) {
    const value = sorted[from]!.student[1]!
    let to = from
    while (to < sorted.length && sorted[to]!.student[1] === value) to++
    const tied = sorted.slice(from, to)
    const tiedPositives = tied.filter(isTrue).length
    const tiedNegatives = tied.length - tiedPositives
    ordered += tiedPositives * (below + tiedNegatives / 2)
    below += tiedNegatives
    from = to
  }
  return ordered / (positives * negatives)
}

/** The mean squared difference of the cumulative distributions at the steps between levels. */
const rankedScore = ({ student, teacher }: JudgedRow): number => {
  const steps = student.length - 1
  let difference = 0
  let sum = 0
  for (let level = 0; level < steps; level++) {
    difference += student[level]! - teacher[level]!
    sum += difference ** 2
  }
  return steps === 0 ? 0 : sum / steps
}

/** Null without rows. `curvePoints`: the most points of the curve. */
export const of = (
  kind: QuestionKind,
  rows: ReadonlyArray<JudgedRow>,
  curvePoints = AgreementCurve.pointsMax
): DecisionFigures | null => {
  if (rows.length === 0) return null
  const mean = (term: (row: JudgedRow) => number): number => sumOf(rows, term) / rows.length
  const judged = rows.map((row) => ({ confidence: topOf(row.student), correct: agrees(row) }))
  const scoreError = ({ student, teacher }: JudgedRow) =>
    Math.abs(NumberRules.scoreOf(student) - NumberRules.scoreOf(teacher))
  return {
    rows: rows.length,
    agreed: rows.filter(agrees).length,
    brier: mean((row) => squaredDifference(kind, row)),
    logLoss: mean(crossEntropy),
    calibrationError: Calibration.calibration(judged)!.expectedError,
    auc: kind === "predicate" ? aucOf(rows) : null,
    meanAbsoluteError: kind === "score" ? mean(scoreError) : null,
    rankedProbabilityScore: kind === "score" ? mean(rankedScore) : null,
    curve: AgreementCurve.of(
      rows.map((row) => ({ confidence: row.isNew === true ? null : topOf(row.student), agrees: agrees(row) })),
      curvePoints
    )
  }
}
