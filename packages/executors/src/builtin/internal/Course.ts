/**
 * The course of a training. For small sets, it tries several epoch counts and learning rates on the training part and
 * chooses the best on the validation part. Rows that the model has not learnt from calibrate its confidence: the
 * validation part and, if this part is small, other parts held back in turn (cross-fitting). With label names, the same parts are held
 * back again with them, and the training takes the names if they do better; then each head takes dense features in the same way. A final
 * pass learns from all rows.
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
  /** Whether the training begins with label names. Absent: no. */
  readonly isNamed?: boolean
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
  readonly isNamed?: Step["isNamed"]
  /** By head, the loss of each held-back row; absent without dense features and label names. */
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
 * The paces to try. Without any, the set is learnt once with the settings. With dense features or label names a small set tries the one
 * pace, to compare it with itself.
 */
const trialsOf = (set: TrainingSet.TrainingSet, settings: Settings): ReadonlyArray<Pace> => {
  const { epochs, learningRate } = settings
  if (!isTriable(set, settings)) return []
  if (set.validation.length < leastValidation) {
    return set.dense === undefined && set.names === undefined ? [] : [{ epochs, learningRate }]
  }
  if (isLarge(set)) return [{ epochs, learningRate }]
  return [
    { epochs, learningRate },
    { epochs, learningRate: fastRate },
    { epochs: Math.max(1, Math.ceil(epochs / 3)), learningRate: fastRate }
  ]
}

/** The outcomes without dense features, with or without label names: trials of paces, and then further parts at the best pace. */
const trackOf = (outcomes: ReadonlyArray<Outcome>, isNamed: boolean): ReadonlyArray<Outcome> =>
  outcomes.filter((one) => one.heads === undefined && (one.isNamed ?? false) === isNamed)

/** The trials of paces without label names. */
export const trialsIn = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> =>
  trackOf(outcomes, false).filter(({ fold }) => fold === 0)

/** The trial with the least loss; undefined before the first trial. */
const bestIn = (track: ReadonlyArray<Outcome>): Outcome | undefined =>
  track.filter(({ fold }) => fold === 0).toSorted((a, b) => a.loss - b.loss)[0]

/** The best trial and the further parts. */
const partsIn = (track: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> => {
  const best = bestIn(track)
  return track.filter((one) => one === best || one.fold > 0)
}

/** Whether label names do better by more than chance, over all heads. */
export const takesNames = (outcomes: ReadonlyArray<Outcome>): boolean => {
  const bare = partsIn(trackOf(outcomes, false))
  const named = partsIn(trackOf(outcomes, true))
  const lossesOf = (held: ReadonlyArray<Outcome>) => held.flatMap(({ losses = [] }) => losses.flat())
  return named.length > 0 && named.length === bare.length && DenseChoice.isBetter(lossesOf(bare), lossesOf(named))
}

/** With label names if they do better. */
const chosenTrack = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> =>
  trackOf(outcomes, takesNames(outcomes))

/** The trial at the student's pace; undefined before the first trial. */
export const bestOf = (outcomes: ReadonlyArray<Outcome>): Outcome | undefined => bestIn(chosenTrack(outcomes))

/** The number of parts held back in turn, including the validation part. */
export const foldsOf = ({ questions, validation }: TrainingSet.TrainingSet, settings: Settings): number => {
  const { isExamination = false, validationFraction } = settings
  const all = questions === null ? Math.floor(1 / validationFraction) : DecisionFolds.count(questions, settings)
  return isExamination ? all : Math.min(all, Math.ceil(calibrationRows / validation.length))
}

/** The held-back parts at the student's pace without dense features. */
const plainOf = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> => partsIn(chosenTrack(outcomes))

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
  const isNamed = takesNames(outcomes)
  const stepOf = (heads: ReadonlyArray<boolean>): Step | undefined => {
    const before = withHeads(outcomes, heads)
    return before.length < folds
      ? { pace, fold: before.length, temperature: before[0]?.temperature ?? null, heads, isNamed }
      : undefined
  }
  const first = stepOf(dense.heads.map(() => true))
  if (first !== undefined) return first
  const heads = headsOf(outcomes)
  return heads === undefined ? undefined : stepOf(heads)
}

/** Empty before the first trial. */
const bestPaceIn = (track: ReadonlyArray<Outcome>): ReadonlyArray<Pace> => {
  const best = bestIn(track)
  return best === undefined ? [] : [best.pace]
}

/** The next trial, or the next part at the best pace. Label names take the pace that is best without them. */
const trackStep = (
  set: TrainingSet.TrainingSet,
  settings: Settings,
  outcomes: ReadonlyArray<Outcome>,
  isNamed: boolean
): Step | undefined => {
  const trials = isNamed ? bestPaceIn(trackOf(outcomes, false)) : trialsOf(set, settings)
  const track = trackOf(outcomes, isNamed)
  const trial = trials[track.length]
  if (trial !== undefined) return { pace: trial, fold: 0, temperature: null, isNamed }
  const best = bestIn(track)
  const fold = 1 + track.length - trials.length
  return best === undefined || fold >= foldsOf(set, settings)
    ? undefined
    : { pace: best.pace, fold, temperature: best.temperature, isNamed }
}

/** The next step after these outcomes; undefined when the final training on all rows is due. */
export const nextOf = (
  set: TrainingSet.TrainingSet,
  settings: Settings,
  outcomes: ReadonlyArray<Outcome>
): Step | undefined => {
  const bare = trackStep(set, settings, outcomes, false)
  if (bare !== undefined) return bare
  const named = set.names === undefined ? undefined : trackStep(set, settings, outcomes, true)
  if (named !== undefined) return named
  const best = bestOf(outcomes)
  return best && denseStep(set, best.pace, foldsOf(set, settings), outcomes)
}

/** `scored`: the held-back part of `set`, its rows `validation`, after the step; one of `parts`. */
export const outcomeOf = (
  { fold, heads, isNamed = false, pace, temperature: given }: Step,
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
    ...(isNamed ? { isNamed } : {}),
    ...(set.questions === null ? {} : { questions: Questions.judgedHeads(set.questions.learnt, scored, parts) }),
    ...(set.dense === undefined && set.names === undefined
      ? {}
      : { losses: CalibrationFit.headLosses(scored, temperature, TrainingSet.headsIn(set).length) })
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
  const held = heldBack(outcomes)
  const [first] = held
  if (first === undefined) return undefined
  return CalibrationFit.calibrationOf(
    first.temperature,
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

/** A held-back part, with the features of a step. */
interface HeldPart {
  readonly fold: number
  readonly heads?: Step["heads"] | undefined
  readonly isNamed?: boolean | undefined
}

/** The set with the step's part held back, its heads and its label names. */
export const partOf = (
  set: TrainingSet.TrainingSet,
  settings: Settings,
  { fold, heads = [], isNamed = false }: HeldPart
): TrainingSet.TrainingSet => {
  const dense = assignHeads(set, set.dense?.heads.map((_, head) => heads[head] ?? false) ?? [])
  const used = isNamed ? dense : { ...dense, names: undefined }
  return fold === 0 ? used : { ...used, ...TrainingSet.carve(used, settings, fold) }
}

/** Whether enough rows are held back, over all parts, to choose dense features and label names by. */
export const canChoose = (set: TrainingSet.TrainingSet, settings: Settings): boolean =>
  isTriable(set, settings) && set.validation.length * foldsOf(set, settings) >= leastValidation

/** All rows, to learn from. */
export const wholeOf = (set: TrainingSet.TrainingSet): TrainingSet.TrainingSet => ({
  ...set,
  training: Uint32Array.from([...set.training, ...set.validation]).sort(),
  validation: new Uint32Array()
})
