/**
 * What a deployment keeps of its report: the saving over replayed calls, students retrained from their own traffic, and teachers with
 * systematic errors. Calls are fresh rows of a set, replayed in this process: a student answers at its threshold where the request is
 * like its rows, and the teacher answers the rest and the verified share.
 */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as Recommendation from "@limbeck/distill/report/Recommendation"
import type { Text, Wrapping } from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as ThresholdTrials from "./ThresholdTrials.ts"

const { answerOf, uniformOf } = ThresholdTrials
type Uniform = ThresholdTrials.Uniform

/** US dollars per 1,000 calls: of a teacher, and of a student in this process. */
const costs = { student: 0.001, teacher: 0.3 }
const verified = 0.02
const noise = 0.05
const holdoutRows = 600
const replayedCalls = 5_000
const reviewedRows = 200
const turns = 3

type Answer = Awaited<ReturnType<typeof StudentTrial.answersOf>>[number]

const pick = <A>(of: ReadonlyArray<A>, next: Uniform): A => of[Math.floor(next() * of.length)]!

export interface Saving {
  readonly promised: { readonly value: number; readonly low: number; readonly high: number }
  readonly measured: number
}

/** US dollars per 1,000 calls, promised by a random holdout and measured over replayed calls; null where nothing is recommended. */
export const savingOf = (traffic: ThresholdTrials.Traffic, draw: number): Saving | null => {
  const next = uniformOf(1 + draw * 7_919)
  const items = Array.from({ length: holdoutRows }, () => ThresholdTrials.drawItem(traffic, next))
  const { recommendation } = Recommendation.make(items, costs, replayedCalls)
  const promised = recommendation?.saving_usd_per_1000 ?? null
  if (recommendation === null || promised === null) return null
  let spared = 0
  for (let call = 0; call < replayedCalls; call++) {
    const { confidence } = pick(traffic.rows, next)
    const isAnswered = confidence !== null && confidence >= recommendation.threshold
    if (isAnswered && next() >= verified) spared++
  }
  return { promised, measured: (spared / replayedCalls) * costs.teacher - costs.student }
}

/** A teacher that gives the next label for a fifth of the texts, whenever it is asked. */
const systematic = (labels: ReadonlyArray<string>) => (gold: string, isOdd: boolean) =>
  isOdd ? labels[(labels.indexOf(gold) + 1) % labels.length]! : gold

const oddShare = 0.2

/** The texts with the teacher's systematic errors; a text is odd by its own luck. */
export const withSystematicErrors = (texts: ReadonlyArray<Text>, seed: number): ReadonlyArray<Text> => {
  const labels = [...new Set(texts.map(({ gold }) => gold))].sort()
  const [next, answer] = [uniformOf(seed), systematic(labels)]
  return texts.map((text) => ({ ...text, teacher: answer(text.gold, next() < oddShare) }))
}

export interface Systematic {
  /** Shares of the fresh rows that the recommended student answers. */
  readonly share: number
  /** By how much the cascade is right more often than the teacher. */
  readonly gained: number
  readonly target: string
}

/** The recommendation of a random holdout, with the verdicts of reviewers on some of its rows or with none. */
export const systematicOf = (answers: ReadonlyArray<Answer>, draw: number, reviewed: boolean): Systematic => {
  const next = uniformOf(3 + draw * 7_919)
  const items = Array.from({ length: holdoutRows }, (_, index) => {
    const { gold, isNew, student, teacher, ...own } = pick(answers, next)
    const confidence = isNew ? null : own.confidence
    const verdict = { student: student === gold, teacher: teacher === gold }
    const item = { student, teacher, again: teacher, agrees: student === teacher, confidence }
    return reviewed && index < reviewedRows ? { ...item, verdict } : item
  })
  const { recommendation } = Recommendation.make(items, costs)
  if (recommendation === null) return { share: 0, gained: 0, target: "none" }
  const answered = answers.filter(({ confidence, isNew }) => !isNew && confidence >= recommendation.threshold)
  const rightOf = (of: (answer: Answer) => string) => answered.filter((one) => of(one) === one.gold).length
  return {
    share: answered.length / answers.length,
    gained: (rightOf(({ student }) => student) - rightOf(({ teacher }) => teacher)) / answers.length,
    target: recommendation.target_is
  }
}

/** A live call with its text; half of the calls have a tag. */
interface Call {
  readonly text: Text
  readonly isTagged: boolean
}

interface Student {
  readonly answer: (text: string) => { readonly student: string; readonly confidence: number; readonly isNew: boolean }
  readonly threshold: number
}

const itemsOf = (student: Pick<Student, "answer">, holdout: ReadonlyArray<Text>, ask: (gold: string) => string) =>
  holdout.map(({ gold, text }) => {
    const { confidence, isNew, student: answer } = student.answer(text)
    const [teacher, again] = [ask(gold), ask(gold)]
    return { student: answer, teacher, again, agrees: answer === teacher, confidence: isNew ? null : confidence }
  })

const studentOf = async (
  rows: ReadonlyArray<Row>,
  holdout: ReadonlyArray<Text>,
  wrapping: Wrapping,
  ask: (gold: string) => string
): Promise<Student> => {
  const answer = await StudentTrial.studentOf(rows, wrapping)
  const { recommendation } = Recommendation.make(itemsOf({ answer }, holdout, ask), costs)
  // Without a recommendation the student is deployed for a third of the calls: that is the harder case.
  const confidences = holdout.map(({ text }) => answer(text).confidence).sort((a, b) => b - a)
  return { answer, threshold: recommendation?.threshold ?? confidences[Math.floor(confidences.length / 3)] ?? 1 }
}

/** Builds version rows from calls: fallback answers at weight 1, verified answers weighted to represent all student answers. */
const rowsOf = (
  { answer, threshold }: Student,
  calls: ReadonlyArray<Call>,
  wrapping: Wrapping,
  ask: (gold: string) => string,
  next: Uniform
): ReadonlyArray<Row> => {
  const answered: Array<Call> = []
  const rows: Array<Row> = []
  for (const call of calls) {
    const { confidence, isNew } = answer(call.text.text)
    if (!isNew && confidence >= threshold) answered.push(call)
    else rows.push(StudentTrial.rowWith(call.text.text, ask(call.text.gold), wrapping))
  }
  const chosen = answered.filter(() => next() < verified)
  const weight = Math.max(1, answered.length / Math.max(1, chosen.length))
  return [
    ...rows,
    ...chosen.map(({ text }) => ({ ...StudentTrial.rowWith(text.text, ask(text.gold), wrapping), weight }))
  ]
}

const accuracyOf = ({ answer }: Student, fresh: ReadonlyArray<Text>, wrapping: Wrapping): number =>
  fresh.filter(({ gold, text }) => answer(text).student === wrapping.answer(gold)).length / fresh.length

/** Selects calls for the version of a turn. */
export type Range = "time" | "tag"

/** Accuracy on fresh rows: first student, then the student after each turn. */
export const retrain = async (
  texts: ReadonlyArray<Text>,
  wrapping: Wrapping,
  range: Range,
  rowsMax: number
): Promise<ReadonlyArray<number>> => {
  const next = uniformOf(range === "time" ? 11 : 13)
  const labels = [...new Set(texts.map(({ gold }) => gold))].sort()
  const ask = (gold: string) => answerOf(gold, labels, noise, next)
  const train = texts.filter(({ split }) => split === "train").slice(0, rowsMax)
  const holdout = texts.filter(({ split }) => split === "holdout").slice(0, holdoutRows)
  const others = texts.filter(({ split }) => split === "test")
  const [fresh, traffic] = [others.filter((_, at) => at % 2 === 0), others.filter((_, at) => at % 2 === 1)]
  let rows = train.map(({ gold, text }) => StudentTrial.rowWith(text, ask(gold), wrapping))
  let student = await studentOf(rows, holdout, wrapping, ask)
  const accuracies = [accuracyOf(student, fresh, wrapping)]
  for (let turn = 0; turn < turns; turn++) {
    const part = traffic.filter((_, at) => at % turns === turn)
    const calls = part.map((text): Call => ({ text, isTagged: next() < 0.5 }))
    const own = range === "time" ? calls : calls.filter(({ isTagged }) => isTagged)
    rows = [...rows, ...rowsOf(student, own, wrapping, ask, next)]
    student = await studentOf(rows, holdout, wrapping, ask)
    accuracies.push(accuracyOf(student, fresh, wrapping))
  }
  return accuracies
}
