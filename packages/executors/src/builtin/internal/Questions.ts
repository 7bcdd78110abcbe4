/**
 * Questions that a student learns from rows of decisions: one head each on shared features. A row has a soft target, the teacher's
 * whole distribution, for some of the heads; the others are masked.
 */
import type { Row } from "@limbeck/distill/dataset/Row"
import type { VersionQuestion } from "@limbeck/distill/dataset/VersionQuestion"
import * as AgreementThreshold from "@limbeck/distill/report/statistics/AgreementThreshold"
import * as Distribution from "@limbeck/distill/report/statistics/Distribution"
import * as CalibrationFit from "./CalibrationFit.ts"
import { greatest, softmax } from "./Softmax.ts"
import type { Head, LearntQuestion, Targets } from "./Targets.ts"

/** A head as the model keeps it. */
export interface QuestionHead extends LearntQuestion {
  readonly from: number
  readonly to: number
  readonly temperature: number
  /** The least top probability with which the student answers alone; null: it never does. */
  readonly threshold: number | null
  /** With the teacher, on the held-back rows that ask the question; null without any. */
  readonly agreement: { readonly value: number; readonly low: number; readonly high: number } | null
}

/** The agreement that a threshold has to reach: the teacher's with itself, taken as 1, minus two points (contract 16.33). */
const target = 0.98
/** A question with fewer rows in all held-back parts has the temperature of all questions together. */
const ownTemperatureRows = 200

/** The questions with the most rows that fit into a model, and the others. */
export const selectQuestions = (questions: ReadonlyArray<VersionQuestion>, columnsMax: number) => {
  const learnt: Array<VersionQuestion> = []
  const left: Array<VersionQuestion> = []
  let columns = 0
  for (const question of questions.toSorted((a, b) => b.rows - a.rows)) {
    const count = question.options.length
    if (columns + count > columnsMax) left.push(question)
    else {
      columns += count
      learnt.push(question)
    }
  }
  return { learnt, left }
}

export const headsOf = (questions: ReadonlyArray<LearntQuestion>): ReadonlyArray<Head> => {
  let to = 0
  return questions.map(({ options, question }) => {
    const from = to
    to += options.length
    return { name: question, from, to }
  })
}

/** The targets of a row. Refusals and questions that are not learnt give none. */
export const targetsOf = (
  questions: ReadonlyArray<LearntQuestion>
): ((decisions: NonNullable<Row["decisions"]>) => Targets) => {
  const headOf = new Map<string, number>(questions.map(({ question }, head) => [question, head]))
  return (decisions) =>
    decisions
      .flatMap(({ probabilities, question }): Targets => {
        const head = headOf.get(question)
        if (head === undefined || probabilities === null) return []
        const target = Distribution.normalize(probabilities)
        const isFit = target !== null && target.length === questions[head]?.options.length
        return isFit ? [{ head, probabilities: target }] : []
      })
      .toSorted((a, b) => a.head - b.head)
}

/** Checkpoints hold confidences as text: more digits would decide nothing. */
const roundConfidence = (confidence: number): number => Math.round(confidence * 1e6) / 1e6

const judged = ({ label, scores }: CalibrationFit.LabelScores, temperature: number) => {
  const probabilities = scores.slice()
  softmax(probabilities, temperature)
  const best = greatest(probabilities)
  return { confidence: roundConfidence(probabilities[best]!), agrees: best === label }
}

/** A head's answers to the held-back rows of one part, at the temperature that fits these rows. */
export interface JudgedHead {
  readonly temperature: number
  readonly answers: ReadonlyArray<AgreementThreshold.JudgedConfidence>
}

/** By head, the answers to the rows of one of `parts` held-back parts, which the model has not learnt. */
export const judgedHeads = (
  questions: ReadonlyArray<LearntQuestion>,
  scored: ReadonlyArray<CalibrationFit.RowScores>,
  parts = 1
): ReadonlyArray<JudgedHead> => {
  const pooled = CalibrationFit.fitTemperature(scored)
  return questions.map((_, head) => {
    const own = scored.flatMap((row) => row.filter((one) => one.head === head))
    const temperature =
      own.length * parts < ownTemperatureRows ? pooled : CalibrationFit.fitTemperature(own.map((one) => [one]))
    return { temperature, answers: own.map((one) => judged(one, temperature)) }
  })
}

/** The geometric mean of the parts' temperatures by their answers; of a head without any, each part counts once. */
const meanTemperature = (parts: ReadonlyArray<JudgedHead>): number => {
  const answers = parts.reduce((sum, part) => sum + part.answers.length, 0)
  const shareOf = (part: JudgedHead) => (answers === 0 ? 1 / parts.length : part.answers.length / answers)
  return Math.exp(parts.reduce((sum, part) => sum + shareOf(part) * Math.log(part.temperature), 0))
}

/** Temperature, threshold and agreement of each head, by all held-back parts. */
export const calibrateHeads = (
  questions: ReadonlyArray<LearntQuestion>,
  parts: ReadonlyArray<ReadonlyArray<JudgedHead>>
): ReadonlyArray<QuestionHead> =>
  headsOf(questions).map(({ from, to }, head) => {
    const own = parts.map((part) => part[head]!)
    const answers = own.flatMap((part) => part.answers)
    return {
      ...questions[head]!,
      from,
      to,
      temperature: meanTemperature(own),
      threshold: AgreementThreshold.leastOf(answers, target),
      agreement: AgreementThreshold.agreementOf(answers)
    }
  })
