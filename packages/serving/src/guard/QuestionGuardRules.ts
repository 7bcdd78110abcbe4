/**
 * The guard of a student of decisions: each question has comparisons, a floor and a breach of its own, and all questions of a
 * deployment share one probability of error (contract 16.28). Pure.
 */
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import type { QuestionEvidence } from "@limbeck/distill/student/StudentModel"
import * as Result from "effect/Result"
import { EvidenceLacking } from "../Errors.ts"
import * as AgreementRules from "./AgreementRules.ts"
import * as DifferenceRules from "./DifferenceRules.ts"

/** What is asked of a question's answers. */
export interface QuestionFloor {
  readonly question: string
  readonly name: string | null
  readonly floor: number
  readonly evidence: AgreementRules.Tally
  /** The largest mean difference of both distributions. */
  readonly differenceMax: number
}

export interface QuestionComparisons {
  readonly question: string
  readonly comparisons: AgreementRules.Comparisons
  readonly difference: DifferenceRules.DifferenceBets
}

/** The upstream's answer beside the student's, to one question of one call. */
export interface QuestionComparison {
  readonly question: string
  readonly agrees: boolean
  readonly difference: number
}

/** Figures at the moment of a breach. `by`: the most probable options differ too often, or the distributions too far. */
export interface QuestionBreach extends AgreementRules.Agreement {
  readonly question: string
  readonly by: "agreement" | "difference"
  readonly floor: number
  readonly comparisons: number
}

/** Of a whole deployment: 5 % together. */
const wrongMax = { low: 0.005, high: 0.035, difference: 0.01 }

const errorsOf = (questions: number) => ({
  low: wrongMax.low / questions,
  high: wrongMax.high / questions,
  difference: wrongMax.difference / questions
})

export const agreementOf = (comparisons: AgreementRules.Comparisons, questions: number) =>
  AgreementRules.agreementOf(comparisons, errorsOf(Math.max(1, questions)))

/** The confidence from which on the student answers in the fallback's place; null: without a fallback it answers all that it knows. */
export interface AnsweredFrom {
  readonly belowConfidence: number | null
}

/** The rows whose answers callers get; null: none of them is. */
const answeredOf = (
  { alone, curve, threshold }: QuestionEvidence,
  { belowConfidence }: AnsweredFrom
): AgreementRules.Tally | null => {
  const all = curve[0]
  if (belowConfidence === null) {
    return all === undefined ? null : { compared: all.answered, agreed: all.agreed }
  }
  if (threshold === null) return null
  if (belowConfidence <= threshold) return alone
  // A curve that leaves points out counts for the one below, whose answers are no surer.
  const point = curve.findLast((one) => one.threshold <= belowConfidence)
  return point === undefined ? alone : { compared: point.answered, agreed: point.agreed }
}

const lacking = (lack: "questions" | "min_agreement", { compared }: AgreementRules.Tally, low: number, asked: number) =>
  Result.fail(new EvidenceLacking({ lack, from: lack === "questions" ? null : "holdout", compared, low, asked }))

/** The floors of the questions that the student answers. A given agreement holds for each; else the lower bound of its rows. */
export const floorsOf = (
  evidence: ReadonlyArray<QuestionEvidence>,
  from: AnsweredFrom,
  minAgreement: number | null
): Result.Result<ReadonlyArray<QuestionFloor>, EvidenceLacking> => {
  const shown = evidence.flatMap((one) => {
    const answered = answeredOf(one, from)
    const interval = answered && AgreementCurve.intervalOf({ answered: answered.compared, agreed: answered.agreed })
    return answered === null || interval === null ? [] : [{ one, answered, low: interval.low }]
  })
  if (shown.length === 0) return lacking("questions", { compared: 0, agreed: 0 }, 0, 0)
  const below = shown.find(({ low }) => low < (minAgreement ?? 0))
  if (below !== undefined) return lacking("min_agreement", below.answered, below.low, minAgreement ?? 0)
  return Result.succeed(
    shown.map(({ answered, low, one: { alone, name, question } }) => ({
      question,
      name,
      floor: minAgreement ?? low,
      evidence: { compared: answered.compared, agreed: answered.agreed },
      differenceMax: DifferenceRules.limitOf(alone)
    }))
  )
}

const unseen = (question: string): QuestionComparisons => ({
  question,
  comparisons: AgreementRules.none,
  difference: DifferenceRules.none
})

export interface GuardOptions {
  /** All questions under the guard, those that are already guarded too. */
  readonly questions: number
  /** Whether its owner gave the floor: then the agreement alone breaches it. */
  readonly isGiven: boolean
}

const breachOf = (
  { comparisons, difference, question }: QuestionComparisons,
  asked: QuestionFloor,
  agrees: boolean,
  { isGiven, questions }: GuardOptions
): QuestionBreach | null => {
  const errors = errorsOf(questions)
  const { evidence, floor } = asked
  const fall = AgreementRules.fallEvidence + Math.log(questions)
  const isBelow =
    !agrees &&
    (AgreementRules.isBelow(comparisons, floor, errors) ||
      (!isGiven && AgreementRules.hasFallen(comparisons, floor, evidence, fall)))
  const isOver = !isGiven && DifferenceRules.isOver(difference, errors.difference)
  const agreement = isBelow || isOver ? AgreementRules.agreementOf(comparisons, errors) : null
  if (agreement === null) return null
  const { compared } = AgreementRules.totalOf(comparisons)
  return { question, by: isBelow ? "agreement" : "difference", floor, ...agreement, comparisons: compared }
}

/** Adds a comparison of a question; the result has a breach if the comparison causes one. */
export const add = (
  known: QuestionComparisons | undefined,
  asked: QuestionFloor,
  { agrees, difference }: Omit<QuestionComparison, "question">,
  options: GuardOptions
): { readonly known: QuestionComparisons; readonly breach: QuestionBreach | null } => {
  const before = known ?? unseen(asked.question)
  const after: QuestionComparisons = {
    question: asked.question,
    comparisons: AgreementRules.add(before.comparisons, agrees),
    difference: DifferenceRules.add(before.difference, difference, asked.differenceMax)
  }
  return { known: after, breach: breachOf(after, asked, agrees, options) }
}
