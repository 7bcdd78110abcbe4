/**
 * What an evaluation of a student of decisions found on the holdout: figures by question, and how many requests it would have
 * answered without the upstream (contract 16.27). Pure.
 */
import { QuestionId, QuestionKind, type RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import { idOf } from "@limbeck/core/resources/WireSchemas"
import * as Schema from "effect/Schema"
import type { Row } from "../dataset/Row.ts"
import * as RowText from "../dataset/RowText.ts"
import type { VersionQuestion } from "../dataset/VersionQuestion.ts"
import * as AgreementCurve from "./AgreementCurve.ts"
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
  /** The least top probability with which the student answers alone; null: it never does. */
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
  alone: AloneRows,
  curve: AgreementCurve.AgreementCurve
})
type QuestionFigures = typeof QuestionFigures.Type

/** `answered_here`, `mixed` and `upstream` are shares of the rows. */
export const RequestFigures = Schema.Struct({
  answered_here: Schema.Finite,
  mixed: Schema.Finite,
  upstream: Schema.Finite,
  /** US dollars; null without a captured call of a known cost. */
  saved_usd_per_1000: Share
})

export const DecisionEvaluation = Schema.Struct({
  rows: Schema.Int,
  questions: Schema.Array(QuestionFigures),
  /** Null without rows. */
  requests: Schema.NullOr(RequestFigures)
})
export type DecisionEvaluation = typeof DecisionEvaluation.Type

/** As reports show it. */
export const ShownFigures = Schema.Struct({
  ...figures,
  question: idOf("qst"),
  curve: Schema.Array(Schema.Struct({ threshold: Schema.Finite, coverage: Schema.Finite, agreement: Share }))
})

/** What a student says to a question. */
export interface StudentAnswer {
  readonly question: string
  readonly threshold: number | null
  /** In the order of the question's options. */
  readonly probabilities: ReadonlyArray<number>
}

/** A row of decisions, and what the student says to those of its questions that it knows. */
export interface DecidedRow {
  readonly row: Row
  readonly answers: ReadonlyArray<StudentAnswer>
  /** Whether the evidence is unlike what the student learnt from, so that the upstream answers. */
  readonly isNew: boolean
}

/** Points of all curves together: a report is one document. */
const pointsMax = 4_000
/** The fewest points of a drawn curve. */
const curvePointsMin = 10

interface QuestionRow extends DecisionFigures.JudgedRow {
  readonly isNew: boolean
  readonly threshold: number | null
  readonly isTruth: boolean
}

const isAlone = ({ probabilities, threshold }: Omit<StudentAnswer, "question">, isNew: boolean): boolean =>
  !isNew && threshold !== null && Math.max(...probabilities) >= threshold

/** Null for a refusal, and for an answer of other options. */
const judgedOf = (decision: RowDecision, answer: StudentAnswer | undefined, isNew: boolean): QuestionRow | null => {
  const teacher = decision.probabilities && Distribution.normalized(decision.probabilities)
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

const askedRowsOf = (decided: ReadonlyArray<DecidedRow>): ReadonlyMap<string, AskedRows> => {
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
  { kind, name, question }: VersionQuestion,
  { answered, judged, refusals }: AskedRows,
  curvePoints: number
): QuestionFigures => {
  const threshold = judged[0]?.threshold ?? null
  const alone = judged.filter(({ isNew, student }) => isAlone({ threshold, probabilities: student }, isNew))
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
    alone: {
      compared: alone.length,
      agreed: alone.filter(DecisionFigures.agrees).length,
      difference: alone.reduce((sum, row) => sum + DecisionFigures.differenceOf(row.student, row.teacher), 0)
    },
    curve: found?.curve ?? []
  }
}

/** Characters of what a question asks. */
const sizeOf = ({ instructions, options }: VersionQuestion): number =>
  options.reduce((sum, { description = "", value }) => sum + String(value).length + description.length, 0) +
  instructions.length

interface SplitSize {
  readonly student: number
  readonly upstream: number
  /** The questions of the row, and those of them for the upstream. */
  readonly asked: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
  /** Characters that the upstream does not read, and all characters. */
  readonly saved: number
  readonly all: number
}

/** A request without a question for the upstream saves its evidence too; any other saves the text of its questions alone. */
const splitSizeOf = ({ answers, isNew, row }: DecidedRow, sizes: ReadonlyMap<string, number>): SplitSize => {
  const known = new Map(answers.map((answer) => [answer.question, answer]))
  const evidence = row.messages.reduce((sum, message) => sum + RowText.textOf(message).length, 0)
  const asked = (row.decisions ?? []).map(({ question }) => question)
  const split = { student: 0, upstream: 0, saved: 0, all: evidence, asked, left: [] as Array<string> }
  for (const question of asked) {
    const size = sizes.get(question) ?? 0
    const answer = known.get(question)
    split.all += size
    if (answer === undefined || !isAlone(answer, isNew)) {
      split.upstream++
      split.left.push(question)
    } else {
      split.student++
      split.saved += size
    }
  }
  return split.upstream === 0 ? { ...split, saved: split.all } : split
}

/** The upstream's own count for both requests, the whole one and its part; null unless it has counted both. */
const countedSaving = ({ asked, left, upstream }: SplitSize, costs: RequestCosts): number | null => {
  const whole = costs.costOf(asked)
  const part = upstream === 0 ? 0 : costs.costOf(left)
  return whole === null || part === null ? null : Math.max(0, whole - part)
}

/** The mean saving of a request. Where the upstream has not counted both, by the share of text that it does not read. */
const savedUsdOf = (splits: ReadonlyArray<SplitSize>, costs: RequestCosts): number | null => {
  const { callUsd } = costs
  const size = Math.max(
    1,
    splits.reduce((sum, { all }) => sum + all, 0)
  )
  const estimated = ({ saved }: SplitSize) => (callUsd === null ? null : (callUsd * saved * splits.length) / size)
  const savings = splits.flatMap((split) => countedSaving(split, costs) ?? estimated(split) ?? [])
  return savings.length < splits.length ? null : savings.reduce((sum, saving) => sum + saving, 0) / splits.length
}

const requestsOf = (
  decided: ReadonlyArray<DecidedRow>,
  questions: ReadonlyArray<VersionQuestion>,
  costs: RequestCosts
): DecisionEvaluation["requests"] => {
  if (decided.length === 0) return null
  const sizes = new Map<string, number>(questions.map((question) => [question.question, sizeOf(question)]))
  const splits = decided.map((row) => splitSizeOf(row, sizes))
  const share = (isOne: (split: SplitSize) => boolean) => splits.filter(isOne).length / splits.length
  const savedUsd = savedUsdOf(splits, costs)
  return {
    answered_here: share(({ upstream }) => upstream === 0),
    mixed: share(({ student, upstream }) => student > 0 && upstream > 0),
    upstream: share(({ student, upstream }) => student === 0 && upstream > 0),
    saved_usd_per_1000: savedUsd === null ? null : Math.round(savedUsd * 1e9) / 1e6
  }
}

/** `questions`: those of the version. `costs`: of captured requests. */
export const summarize = (
  decided: ReadonlyArray<DecidedRow>,
  questions: ReadonlyArray<VersionQuestion>,
  costs: RequestCosts
): DecisionEvaluation => {
  const asked = askedRowsOf(decided)
  const curvePoints = Math.max(curvePointsMin, Math.floor(pointsMax / Math.max(1, questions.length)))
  return {
    rows: decided.length,
    questions: questions.map((question) => figuresOf(question, asked.get(question.question) ?? unasked, curvePoints)),
    requests: requestsOf(decided, questions, costs)
  }
}

export const shown = ({ questions }: DecisionEvaluation): ReadonlyArray<typeof ShownFigures.Type> =>
  questions.map(({ alone: _, curve, ...question }) => ({
    ...question,
    curve: curve.map(({ agreed, answered, threshold }) => ({
      threshold,
      coverage: answered / Math.max(1, question.rows),
      agreement: answered === 0 ? null : agreed / answered
    }))
  }))
