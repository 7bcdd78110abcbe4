/**
 * The course of a training. For small sets, it tries several epoch counts and learning rates on the training part and
 * chooses the best on the validation part. Rows that the model has not learnt from calibrate its confidence: the
 * validation part and, if this part is small, other parts held back in turn (cross-fitting). With dense features, the same
 * parts are held back again with them, and each head takes them if they do better. A final pass learns from all rows.
 */
import type { Examination } from "@limbeck/distill/suspects/Examination"
import type { OutOfFold } from "@limbeck/distill/suspects/SuspectRules"
import type { Settings } from "../Settings.ts"
import * as CalibrationFit from "./CalibrationFit.ts"
import * as DecisionFolds from "./DecisionFolds.ts"
import * as Questions from "./Questions.ts"
import * as Suspects from "./Suspects.ts"
import * as TrainingSet from "./TrainingSet.ts"
import { embeddedRowsMax } from "./vectors/Dense.ts"
import * as DenseChoice from "./vectors/DenseChoice.ts"
import { assignHeads } from "./vectors/DenseFeatures.ts"

type Pace = Pick<Settings, "epochs" | "learningRate">

/** One training on a part of the rows. */
export interface Step {
  readonly pace: Pace
  /** The held-back part. Paces are tried on the first part. */
  readonly fold: number
  /** Null: to be fitted to the part. */
  readonly temperature: number | null
  /** For each head whether it uses the dense features; absent: none does. */
  readonly heads?: ReadonlyArray<boolean>
}

/** The result of one step. */
export interface Outcome {
  readonly pace: Pace
  readonly fold: number
  readonly temperature: number
  /** Loss on the held-back part at the temperature, in nats. */
  readonly loss: number
  readonly judged: ReadonlyArray<CalibrationFit.JudgedRow>
  readonly heads?: Step["heads"]
  /** By head, the loss of each held-back row; absent without dense features. */
  readonly losses?: ReadonlyArray<ReadonlyArray<number>>
  /** The labels of the held-back part's rows; empty for decisions. */
  readonly outOfFold: ReadonlyArray<OutOfFold>
  /** For decisions, the answers of each head. */
  readonly questions?: ReadonlyArray<Questions.JudgedHead>
}

/** Above this number of rows the validation part is a small share of them, and all paces do equally well. */
const rowsMax = embeddedRowsMax
/** With fewer validation rows, chance would decide the comparison. */
const leastValidation = 20
/** A rate for sets with many labels: twice the default rate. */
const fastRate = 0.05
/** Rows that calibrate the confidence, if the set has enough. */
const calibrationRows = 2_000

const isLarge = ({ training, validation }: TrainingSet.TrainingSet): boolean =>
  training.length + validation.length > rowsMax

const isTriable = (set: TrainingSet.TrainingSet, { isExamination = false, tries }: Settings): boolean =>
  tries && set.labels.length > 1 && (isExamination || !isLarge(set))

/**
 * The paces to try. Without any, the set is learnt once with the settings. With dense features a small set tries the one pace, to
 * compare it with itself.
 */
const trialsOf = (set: TrainingSet.TrainingSet, settings: Settings): ReadonlyArray<Pace> => {
  const { epochs, learningRate } = settings
  if (!isTriable(set, settings)) return []
  if (set.validation.length < leastValidation) return set.dense === undefined ? [] : [{ epochs, learningRate }]
  if (isLarge(set)) return [{ epochs, learningRate }]
  return [
    { epochs, learningRate },
    { epochs, learningRate: fastRate },
    { epochs: Math.max(1, Math.ceil(epochs / 3)), learningRate: fastRate }
  ]
}

/** The trial with the least loss; undefined before the first trial. */
export const bestOf = (outcomes: ReadonlyArray<Outcome>): Outcome | undefined =>
  outcomes.filter(({ fold, heads }) => fold === 0 && heads === undefined).toSorted((a, b) => a.loss - b.loss)[0]

/** The number of parts held back in turn, including the validation part. */
export const foldsOf = ({ questions, validation }: TrainingSet.TrainingSet, settings: Settings): number => {
  const { isExamination = false, validationFraction } = settings
  const all = questions === null ? Math.floor(1 / validationFraction) : DecisionFolds.count(questions, settings)
  return isExamination ? all : Math.min(all, Math.ceil(calibrationRows / validation.length))
}

/** The best pace without dense features: its first part and the others. */
const plainOf = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> => {
  const best = bestOf(outcomes)
  return outcomes.filter((one) => one === best || (one.fold > 0 && one.heads === undefined))
}

const withHeads = (outcomes: ReadonlyArray<Outcome>, heads: ReadonlyArray<boolean>): ReadonlyArray<Outcome> =>
  outcomes.filter((one) => one.heads?.every((isUsed, head) => isUsed === heads[head]))

/** The heads that learn from the dense features; undefined if none does. */
export const headsOf = (outcomes: ReadonlyArray<Outcome>): Step["heads"] => {
  const count = outcomes.find(({ heads }) => heads !== undefined)?.heads?.length ?? 0
  const heads = DenseChoice.chooseFeatures(plainOf(outcomes), outcomes, count)
  return heads.includes(true) ? heads : undefined
}

/** All parts with every head, and then with the heads that did better, if they are some and not all. */
const denseStep = (
  { dense }: TrainingSet.TrainingSet,
  pace: Pace,
  folds: number,
  outcomes: ReadonlyArray<Outcome>
): Step | undefined => {
  if (dense === undefined) return undefined
  const stepOf = (heads: ReadonlyArray<boolean>): Step | undefined => {
    const before = withHeads(outcomes, heads)
    return before.length < folds
      ? { pace, fold: before.length, temperature: before[0]?.temperature ?? null, heads }
      : undefined
  }
  const first = stepOf(dense.heads.map(() => true))
  if (first !== undefined) return first
  const heads = headsOf(outcomes)
  return heads === undefined ? undefined : stepOf(heads)
}

/** The next step after these outcomes; undefined when the final training on all rows is due. */
export const nextOf = (
  set: TrainingSet.TrainingSet,
  settings: Settings,
  outcomes: ReadonlyArray<Outcome>
): Step | undefined => {
  const trials = trialsOf(set, settings)
  const plain = outcomes.filter(({ heads }) => heads === undefined)
  const trial = trials[plain.length]
  if (trial !== undefined) return { pace: trial, fold: 0, temperature: null }
  const best = bestOf(outcomes)
  if (best === undefined) return undefined
  const fold = 1 + plain.length - trials.length
  const folds = foldsOf(set, settings)
  return fold < folds
    ? { pace: best.pace, fold, temperature: best.temperature }
    : denseStep(set, best.pace, folds, outcomes)
}

/** `scored`: the held-back part of `set`, its rows `validation`, after the step; one of `parts`. */
export const outcomeOf = (
  { fold, heads, pace, temperature: given }: Step,
  scored: ReadonlyArray<CalibrationFit.RowScores>,
  set: TrainingSet.TrainingSet,
  { parts, validation }: { readonly parts: number; readonly validation: Uint32Array }
): Outcome => {
  const temperature = given ?? CalibrationFit.fitTemperature(scored)
  const judged = scored.map((one) => CalibrationFit.judge(one, temperature))
  return {
    pace,
    fold,
    temperature,
    loss: CalibrationFit.lossOf(scored, temperature),
    judged,
    outOfFold: Suspects.judge(set, validation, scored, temperature),
    ...(heads === undefined ? {} : { heads }),
    ...(set.questions === null ? {} : { questions: Questions.judgedHeads(set.questions.learnt, scored, parts) }),
    ...(set.dense === undefined
      ? {}
      : { losses: CalibrationFit.headLosses(scored, temperature, set.dense.heads.length) })
  }
}

/** The outcomes of the student's pace and heads, each of another held-back part. */
const heldBack = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> => {
  const heads = headsOf(outcomes)
  return heads === undefined ? plainOf(outcomes) : withHeads(outcomes, heads)
}

/** The outcome of the student's pace and heads on the first held-back part; undefined before the first trial. */
export const firstOf = (outcomes: ReadonlyArray<Outcome>): Outcome | undefined =>
  heldBack(outcomes).find(({ fold }) => fold === 0)

/** The calibration by all held-back rows of the best pace; undefined before the first trial. */
export const calibrationOf = (outcomes: ReadonlyArray<Outcome>): CalibrationFit.CalibrationFit | undefined => {
  const heads = headsOf(outcomes)
  const held = heldBack(outcomes)
  const [first] = held
  if (first === undefined) return undefined
  const temperature = heads === undefined ? (bestOf(outcomes)?.temperature ?? first.temperature) : first.temperature
  return CalibrationFit.calibrationOf(
    temperature,
    held.flatMap((one) => one.judged)
  )
}

/** By held-back part, the answers of the heads of decisions; empty before the first trial. */
export const judgedParts = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<ReadonlyArray<Questions.JudgedHead>> =>
  heldBack(outcomes).flatMap(({ questions }) => (questions === undefined ? [] : [questions]))

/** Null before the first trial, and for decisions. */
export const examinationOf = (set: TrainingSet.TrainingSet, outcomes: ReadonlyArray<Outcome>): Examination | null =>
  Suspects.find(
    set,
    heldBack(outcomes).flatMap((one) => one.outOfFold)
  )

/** The set with the step's part held back, and its heads. */
export const partOf = (
  set: TrainingSet.TrainingSet,
  settings: Settings,
  { fold, heads = [] }: { readonly fold: number; readonly heads?: Step["heads"] | undefined }
): TrainingSet.TrainingSet => {
  const used = assignHeads(set, set.dense?.heads.map((_, head) => heads[head] ?? false) ?? [])
  return fold === 0 ? used : { ...used, ...TrainingSet.carve(used, settings, fold) }
}

/** Whether enough rows are held back, over all parts, to choose dense features by. */
export const canChoose = (set: TrainingSet.TrainingSet, settings: Settings): boolean =>
  isTriable(set, settings) && set.validation.length * foldsOf(set, settings) >= leastValidation

/** All rows, to learn from. */
export const wholeOf = (set: TrainingSet.TrainingSet): TrainingSet.TrainingSet => ({
  ...set,
  training: Uint32Array.from([...set.training, ...set.validation]).sort(),
  validation: new Uint32Array()
})
