/**
 * How a training goes: where the rows are few enough, epochs and learning rate are tried on the training part, and the one that
 * does best on the validation part is chosen. Its confidence is calibrated by rows that it has not learnt from: those of the
 * validation part and, where these are few, of other parts that are held back in turn (cross-fitting). In the end it learns
 * once more from all rows.
 */
import type { Settings } from "../Settings.ts"
import * as Calibration from "./Calibration.ts"
import * as TrainingSet from "./TrainingSet.ts"

type Pace = Pick<Settings, "epochs" | "learningRate">

/** A training of a part of the rows. */
export interface Step {
  readonly pace: Pace
  /** Which part is held back. Paces are tried on the first. */
  readonly fold: number
  /** Null: to be fitted to the part. */
  readonly temperature: number | null
}

/** What was found by one step. */
export interface Outcome {
  readonly pace: Pace
  readonly fold: number
  readonly temperature: number
  /** On the part that was held back, at the temperature, in nats. */
  readonly loss: number
  readonly judged: ReadonlyArray<Calibration.JudgedRow>
}

/** Above so many rows the validation part is a small one of them, and one pace is as good as another. */
const rowsMax = 20_000
/** Below so many rows to compare by, luck would choose. */
const leastValidation = 20
/** A rate that many labels need: steps twice as long as those of the usual one. */
const fastRate = 0.05
/** Rows that confidence is calibrated by, where there are as many. */
const calibrationRows = 2_000

/** The paces to try; none: the set is learnt once, as the settings say. */
const trialsOf = (
  { labels, training, validation }: TrainingSet.TrainingSet,
  { epochs, learningRate, tries }: Settings
): ReadonlyArray<Pace> => {
  const rows = training.length + validation.length
  if (!tries || labels.length < 2 || validation.length < leastValidation || rows > rowsMax) return []
  return [
    { epochs, learningRate },
    { epochs, learningRate: fastRate },
    { epochs: Math.max(1, Math.ceil(epochs / 3)), learningRate: fastRate }
  ]
}

/** The trial of the least loss; undefined: nothing was tried. */
export const bestOf = (outcomes: ReadonlyArray<Outcome>): Outcome | undefined =>
  outcomes.filter(({ fold }) => fold === 0).toSorted((a, b) => a.loss - b.loss)[0]

/** Parts that are held back in turn, the validation part among them. */
const foldsOf = ({ validation }: TrainingSet.TrainingSet, { validationFraction }: Settings): number =>
  Math.min(Math.floor(1 / validationFraction), Math.ceil(calibrationRows / validation.length))

/** What is to be done after these outcomes; undefined: all rows are to be learnt from. */
export const nextOf = (
  set: TrainingSet.TrainingSet,
  settings: Settings,
  outcomes: ReadonlyArray<Outcome>
): Step | undefined => {
  const trials = trialsOf(set, settings)
  const trial = trials[outcomes.length]
  if (trial !== undefined) return { pace: trial, fold: 0, temperature: null }
  const best = bestOf(outcomes)
  const fold = 1 + outcomes.length - trials.length
  return best === undefined || fold >= foldsOf(set, settings)
    ? undefined
    : { pace: best.pace, fold, temperature: best.temperature }
}

/** `scored`: the part that was held back, after the step. */
export const outcomeOf = (
  { fold, pace, temperature: given }: Step,
  scored: ReadonlyArray<Calibration.RowScores>
): Outcome => {
  const temperature = given ?? Calibration.fitTemperature(scored)
  const judged = scored.map((one) => Calibration.judge(one, temperature))
  return { pace, fold, temperature, loss: Calibration.lossOf(scored, temperature), judged }
}

/** By all that was held back from the best pace; undefined: nothing was tried. */
export const calibrationOf = (outcomes: ReadonlyArray<Outcome>): Calibration.Calibration | undefined => {
  const best = bestOf(outcomes)
  if (best === undefined) return undefined
  const judged = outcomes.filter((one) => one === best || one.fold > 0).flatMap((one) => one.judged)
  return Calibration.calibrationOf(best.temperature, judged)
}

/** The set with another part held back. */
export const partOf = (set: TrainingSet.TrainingSet, settings: Settings, fold: number): TrainingSet.TrainingSet =>
  fold === 0 ? set : { ...set, ...TrainingSet.carve(set, settings, fold) }

/** All rows, to learn from. */
export const wholeOf = (set: TrainingSet.TrainingSet): TrainingSet.TrainingSet => ({
  ...set,
  training: Uint32Array.from([...set.training, ...set.validation]).sort(),
  validation: new Uint32Array()
})
