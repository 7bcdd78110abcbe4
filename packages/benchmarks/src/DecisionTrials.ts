/**
 * Students of one question with many options, learnt from a teacher's whole distributions or from its most probable options alone. The
 * teacher is itself a student, of true labels and other rows; it answers with two decimals, as providers do.
 */
import type { RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import type { DecisionRow } from "@limbeck/distill/dataset/Row"
import * as DecisionFigures from "@limbeck/distill/report/statistics/DecisionFigures"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Effect from "effect/Effect"
import type { DecisionSet, LabelledText } from "./DecisionSets.ts"
import * as StudentTrial from "./StudentTrial.ts"

type Distribution = ReadonlyArray<number>

const question = `qst_${"0".repeat(26)}` as const

/** A decision model: its distribution over the labels, and whether a text is unlike its rows. */
type Decider = (text: string) => { readonly probabilities: Distribution; readonly isNew: boolean }

interface TrainedDecider {
  readonly decide: Decider
  /** The least top probability with which it answers alone; null: it never does. */
  readonly threshold: number | null
}

/** Against the true labels of the test rows. */
export interface Trial {
  readonly accuracy: number
  readonly brier: number
  readonly logLoss: number
  readonly calibrationError: number
  readonly threshold: number | null
  /** The share that the student answers at its threshold, and the accuracy when the teacher answers the rest. */
  readonly answered: number
  readonly cascadeAccuracy: number
  /** Of one decision. */
  readonly millis: number
}

const rowOf = (text: string, probabilities: Distribution): DecisionRow => {
  const decision: RowDecision = {
    question,
    name: "label",
    kind: "choice",
    probabilities,
    refusal: false,
    source: "teacher"
  }
  return { messages: [{ role: "user", content: text }], completion: null, decisions: [decision] }
}

const oneHot = (at: number, size: number): Distribution =>
  Array.from({ length: size }, (_, index) => Number(index === at))

const topOf = (probabilities: Distribution): number => probabilities.indexOf(Math.max(...probabilities))

const trained = async (labels: ReadonlyArray<string>, rows: ReadonlyArray<DecisionRow>): Promise<TrainedDecider> => {
  const options = labels.map((value) => ({ value }))
  const asked = { question, name: "label", kind: "choice" as const, instructions: "?", options, rows: rows.length }
  const { bytes } = await Effect.runPromise(StudentTrial.train(rows, { questions: [asked] }))
  const model = Model.load(bytes)
  if ("reason" in model) throw new Error(model.reason)
  return {
    threshold: model.about.questions?.[0]?.threshold ?? null,
    decide: (text) => {
      const { distribution, isNew } = model.predict([{ role: "user", text }])
      return { probabilities: distribution.map(({ probability }) => probability), isNew }
    }
  }
}

const rounded = (probabilities: Distribution): Distribution => probabilities.map((one) => Math.round(one * 100) / 100)

/** The teacher's distribution of each text. */
export const teacherOf = async ({ labels, teacher }: DecisionSet): Promise<(text: string) => Distribution> => {
  const rows = teacher.flatMap((texts, at) => texts.map(({ text }) => rowOf(text, oneHot(at, labels.length))))
  const { decide } = await trained(labels, rows)
  return (text) => rounded(decide(text).probabilities)
}

const figuresOf = (answers: ReadonlyArray<Distribution>, golds: ReadonlyArray<number>) => {
  const rows = answers.map((student, at) => ({ student, teacher: oneHot(golds[at] ?? 0, student.length) }))
  const { agreed, brier, calibrationError, logLoss } = DecisionFigures.of("choice", rows)!
  return { accuracy: agreed / rows.length, brier, logLoss, calibrationError }
}

const goldsOf = ({ labels, test }: DecisionSet): ReadonlyArray<number> => {
  const places = new Map(labels.map((label, at) => [label, at]))
  return test.map(({ label }) => places.get(label) ?? 0)
}

/** The teacher's own figures. */
export const teacherFigures = (set: DecisionSet, teacher: (text: string) => Distribution) =>
  figuresOf(
    set.test.map(({ text }) => teacher(text)),
    goldsOf(set)
  )

/** `rowsEach`: of each label. `targets`: whether the student learns the whole distribution or the most probable option. */
export const of = async (
  set: DecisionSet,
  teacher: (text: string) => Distribution,
  { rowsEach, targets }: { readonly rowsEach: number; readonly targets: "hard" | "soft" }
): Promise<Trial> => {
  const { labels, student, test } = set
  const rows = student
    .flatMap((texts) => texts.slice(0, rowsEach))
    .map(({ text }) => {
      const said = teacher(text)
      return rowOf(text, targets === "soft" ? said : oneHot(topOf(said), labels.length))
    })
  const { decide, threshold } = await trained(labels, rows)
  const began = performance.now()
  const answers = test.map(({ text }: LabelledText) => decide(text))
  const millis = (performance.now() - began) / test.length
  const golds = goldsOf(set)
  const isAlone = answers.map(
    ({ isNew, probabilities }) => threshold !== null && !isNew && Math.max(...probabilities) >= threshold
  )
  const served = answers.map(({ probabilities }, at) => (isAlone[at] ? probabilities : teacher(test[at]!.text)))
  return {
    ...figuresOf(
      answers.map(({ probabilities }) => probabilities),
      golds
    ),
    threshold,
    answered: isAlone.filter(Boolean).length / test.length,
    cascadeAccuracy: served.filter((one, at) => topOf(one) === golds[at]).length / test.length,
    millis
  }
}
