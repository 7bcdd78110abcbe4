/**
 * The results of evaluating a student of decisions on the holdout: figures by question, and the requests that
 * need no answer of the upstream (contract 16.27). Pure.
 */
import * as NumberRules from "@limbeck/capture/dialect/decisions/NumberRules"
import { QuestionId, QuestionKind, type RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import { idOf } from "@limbeck/core/resources/WireSchemas"
import * as Schema from "effect/Schema"
import type { VersionQuestion } from "../dataset/VersionQuestion.ts"
import * as AgreementCurve from "./AgreementCurve.ts"
import * as DecidedRow from "./DecidedRow.ts"
import * as DecisionRequests from "./internal/DecisionRequests.ts"
import * as QuestionConfusions from "./internal/QuestionConfusions.ts"
import * as QuestionRepeats from "./internal/QuestionRepeats.ts"
import type { RequestCosts } from "./RequestCosts.ts"
import * as DecisionFigures from "./statistics/DecisionFigures.ts"
import * as Distribution from "./statistics/Distribution.ts"

const Share = Schema.NullOr(Schema.Finite)

const figures = {
  question: QuestionId,
  name: Schema.NullOr(Schema.String),
  kind: QuestionKind,
  /** Rows in which the teacher, or a reviewer, answers the question. */
  rows: Schema.Int,
  /** Over all these rows, with its 95 % interval; null where the student has no answer. */
  agreement: Schema.NullOr(Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite })),
  /** Of the rows whose true answer feedback gave; null without any. */
  truth: Schema.NullOr(Schema.Struct({ rows: Schema.Int, accuracy: Schema.Finite })),
  brier: Share,
  log_loss: Share,
  calibration_error: Share,
  /** Of predicates. */
  auc: Share,
  /** Of scores, in levels. */
  mean_absolute_error: Share,
  /** Of scores. */
  ranked_probability_score: Share,
  /** Rows in which the teacher refused to answer. */
  refusals: Schema.Int,
  /** The least top probability with which the student answers alone: the lower of trained and recommended threshold; null: never. */
  threshold: Share,
  /** The share of the rows that the student answers alone. */
  coverage: Schema.Finite
}

/** The rows that a student answers alone at its threshold. */
export const AloneRows = Schema.Struct({
  compared: Schema.Int,
  /** Rows on which it agrees with the teacher. */
  agreed: Schema.Int,
  /** The sum of the differences between both distributions; see `DecisionFigures.differenceOf`. */
  difference: Schema.Finite
})

const QuestionFigures = Schema.Struct({
  ...figures,
  // Absent in older evaluations.
  teacher_itself: Schema.optionalKey(QuestionRepeats.figures.teacher_itself),
  recommendation: Schema.optionalKey(QuestionRepeats.figures.recommendation),
  confusions: Schema.optionalKey(QuestionConfusions.Confusions),
  alone: AloneRows,
  curve: AgreementCurve.AgreementCurve
})
type QuestionFigures = typeof QuestionFigures.Type

export const DecisionEvaluation = Schema.Struct({
  rows: Schema.Int,
  questions: Schema.Array(QuestionFigures),
  /** Null without rows. */
  requests: Schema.NullOr(DecisionRequests.RequestFigures)
})
export type DecisionEvaluation = typeof DecisionEvaluation.Type

/** As reports show it. */
export const ShownFigures = Schema.Struct({
  ...figures,
  ...QuestionRepeats.figures,
  /** The most frequent pairs of differing answers. */
  confusions: QuestionConfusions.Confusions,
  question: idOf("qst"),
  curve: Schema.Array(Schema.Struct({ threshold: Schema.Finite, coverage: Schema.Finite, agreement: Share }))
})

/** Points of all curves together: a report is one document. */
const pointsMax = 4_000
/** The fewest points of a drawn curve. */
const curvePointsMin = 10

interface QuestionRow extends DecisionFigures.JudgedRow {
  readonly isNew: boolean
  readonly threshold: number | null
  readonly isTruth: boolean
}

/** Null for a refusal, and for an answer of other options. */
const judgedOf = (
  decision: RowDecision,
  answer: DecidedRow.StudentAnswer | undefined,
  isNew: boolean
): QuestionRow | null => {
  const teacher = decision.probabilities && Distribution.normalize(decision.probabilities)
  if (answer === undefined || teacher === null || teacher.length !== answer.probabilities.length) return null
  const { probabilities: student, threshold } = answer
  return { student, teacher, isNew, threshold, isTruth: decision.source === "feedback" }
}

const truthOf = (rows: ReadonlyArray<QuestionRow>): QuestionFigures["truth"] => {
  const reviewed = rows.filter(({ isTruth }) => isTruth)
  if (reviewed.length === 0) return null
  return { rows: reviewed.length, accuracy: reviewed.filter(DecisionFigures.agrees).length / reviewed.length }
}

/** The rows that ask a question. */
interface AskedRows {
  readonly judged: Array<QuestionRow>
  answered: number
  refusals: number
}

const unasked: AskedRows = { judged: [], answered: 0, refusals: 0 }

const askedRowsOf = (decided: ReadonlyArray<DecidedRow.DecidedRow>): ReadonlyMap<string, AskedRows> => {
  const asked = new Map<string, AskedRows>()
  for (const { answers, isNew, row } of decided) {
    const known = new Map(answers.map((answer) => [answer.question, answer]))
    for (const decision of row.decisions ?? []) {
      const rows = asked.get(decision.question) ?? { judged: [], answered: 0, refusals: 0 }
      asked.set(decision.question, rows)
      if (decision.refusal) rows.refusals++
      if (decision.probabilities !== null) rows.answered++
      const judged = judgedOf(decision, known.get(decision.question), isNew)
      if (judged !== null) rows.judged.push(judged)
    }
  }
  return asked
}

const figuresOf = (
  { kind, name, options, question }: VersionQuestion,
  { answered, judged, refusals }: AskedRows,
  repeated: QuestionRepeats.RepeatFigures,
  curvePoints: number
): QuestionFigures => {
  const threshold = judged[0]?.threshold ?? null
  const alone = judged.filter(({ isNew, student }) => DecidedRow.isAlone({ threshold, probabilities: student }, isNew))
  const found = DecisionFigures.of(kind, judged, curvePoints)
  return {
    question,
    name,
    kind,
    rows: answered,
    agreement: AgreementCurve.intervalOf({ answered: judged.length, agreed: found?.agreed ?? 0 }),
    truth: truthOf(judged),
    brier: found?.brier ?? null,
    log_loss: found?.logLoss ?? null,
    calibration_error: found?.calibrationError ?? null,
    auc: found?.auc ?? null,
    mean_absolute_error: found?.meanAbsoluteError ?? null,
    ranked_probability_score: found?.rankedProbabilityScore ?? null,
    refusals,
    threshold,
    coverage: alone.length / Math.max(1, judged.length),
    ...repeated,
    confusions: QuestionConfusions.of(options, judged),
    alone: {
      compared: alone.length,
      agreed: alone.filter(DecisionFigures.agrees).length,
      difference: alone.reduce((sum, row) => sum + DecisionFigures.differenceOf(row.student, row.teacher), 0)
    },
    curve: found?.curve ?? []
  }
}

/** By question, the rows that the teacher was asked about again; feedback has replaced some first answers. */
const repeatedRowsOf = (decided: ReadonlyArray<DecidedRow.DecidedRow>) => {
  const repeated = new Map<string, Array<QuestionRepeats.RepeatedRow>>()
  for (const { again = [], answers, isNew, row } of decided) {
    const first = new Map<string, RowDecision>((row.decisions ?? []).map((decision) => [decision.question, decision]))
    const known = new Map(answers.map((answer) => [answer.question, answer.probabilities]))
    for (const { probabilities, question } of again) {
      const decision = first.get(question)
      if (decision?.source !== "teacher" || decision.probabilities === null) continue
      const student = known.get(question) ?? null
      const rows = repeated.get(question) ?? []
      repeated.set(question, rows)
      rows.push({
        teacher: NumberRules.mostProbable(decision.probabilities),
        again: QuestionRepeats.topOf(probabilities),
        student: QuestionRepeats.topOf(student),
        confidence: isNew || student === null ? null : Math.max(...student)
      })
    }
  }
  return repeated
}

/** Replaces the threshold of the training by a lower recommended threshold. */
const atThresholds = (
  decided: ReadonlyArray<DecidedRow.DecidedRow>,
  repeats: ReadonlyMap<string, QuestionRepeats.RepeatFigures>
): ReadonlyArray<DecidedRow.DecidedRow> =>
  decided.map((row) => ({
    ...row,
    answers: row.answers.map((answer) => {
      const recommended = repeats.get(answer.question)?.recommendation?.threshold ?? Number.POSITIVE_INFINITY
      return recommended < (answer.threshold ?? Number.POSITIVE_INFINITY)
        ? { ...answer, threshold: recommended }
        : answer
    })
  }))

/** `questions`: those of the version. `costs`: of captured requests. */
export const summarize = (
  decided: ReadonlyArray<DecidedRow.DecidedRow>,
  questions: ReadonlyArray<VersionQuestion>,
  costs: RequestCosts
): DecisionEvaluation => {
  const repeats = new Map([...repeatedRowsOf(decided)].map(([question, rows]) => [question, QuestionRepeats.of(rows)]))
  const rows = atThresholds(decided, repeats)
  const asked = askedRowsOf(rows)
  const curvePoints = Math.max(curvePointsMin, Math.floor(pointsMax / Math.max(1, questions.length)))
  return {
    rows: rows.length,
    questions: questions.map((one) => {
      const repeated = repeats.get(one.question) ?? QuestionRepeats.none
      return figuresOf(one, asked.get(one.question) ?? unasked, repeated, curvePoints)
    }),
    requests: DecisionRequests.of(rows, questions, costs)
  }
}

export const renderFigures = ({ questions }: DecisionEvaluation): ReadonlyArray<typeof ShownFigures.Type> =>
  questions.map(({ alone: _, curve, ...question }) => ({
    ...QuestionRepeats.none,
    confusions: [],
    ...question,
    curve: curve.map(({ agreed, answered, threshold }) => ({
      threshold,
      coverage: answered / Math.max(1, question.rows),
      agreement: answered === 0 ? null : agreed / answered
    }))
  }))
