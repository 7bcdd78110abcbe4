/**
 * The course of a training. For small sets, it tries several epoch counts and learning rates on the training part and
 * chooses the best on the validation part. Rows that the model has not learnt from calibrate its confidence: the
 * validation part and, if this part is small, other parts held back in turn (cross-fitting). A final pass learns from
 * all rows.
 */
import type { Settings } from "../Settings.ts"
import * as CalibrationFit from "./CalibrationFit.ts"
import * as TrainingSet from "./TrainingSet.ts"

type Pace = Pick<Settings, "epochs" | "learningRate">

/** One training on a part of the rows. */
export interface Step {
  readonly pace: Pace
  /** The held-back part. Paces are tried on the first part. */
  readonly fold: number
  /** Null: to be fitted to the part. */
  readonly temperature: number | null
}

/** The result of one step. */
export interface Outcome {
  readonly pace: Pace
  readonly fold: number
  readonly temperature: number
  /** Loss on the held-back part at the temperature, in nats. */
  readonly loss: number
  readonly judged: ReadonlyArray<CalibrationFit.JudgedRow>
}

/** Above this number of rows the validation part is a small share of them, and all paces do equally well. */
const rowsMax = 20_000
/** With fewer validation rows, chance would decide the comparison. */
const leastValidation = 20
/** A rate for sets with many labels: twice the default rate. */
const fastRate = 0.05
/** Rows that calibrate the confidence, if the set has enough. */
const calibrationRows = 2_000

/** The paces to try. Without any, the set is learnt once with the settings. */
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

/** The trial with the least loss; undefined before the first trial. */
export const bestOf = (outcomes: ReadonlyArray<Outcome>): Outcome | undefined =>
  outcomes.filter(({ fold }) => fold === 0).toSorted((a, b) => a.loss - b.loss)[0]

/** The number of parts held back in turn, including the validation part. */
const foldsOf = ({ questions, validation }: TrainingSet.TrainingSet, { validationFraction }: Settings): number =>
  // A question's threshold is fitted to the validation part alone, by the very model that it belongs to.
  questions !== null ? 1 : Math.min(Math.floor(1 / validationFraction), Math.ceil(calibrationRows / validation.length))

/** The next step after these outcomes; undefined when the final training on all rows is due. */
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

/** `scored`: the held-back part after the step. */
export const outcomeOf = (
  { fold, pace, temperature: given }: Step,
  scored: ReadonlyArray<CalibrationFit.RowScores>
): Outcome => {
  const temperature = given ?? CalibrationFit.fitTemperature(scored)
  const judged = scored.map((one) => CalibrationFit.judge(one, temperature))
  return { pace, fold, temperature, loss: CalibrationFit.lossOf(scored, temperature), judged }
}

/** The calibration by all held-back rows of the best pace; undefined before the first trial. */
export const calibrationOf = (outcomes: ReadonlyArray<Outcome>): CalibrationFit.CalibrationFit | undefined => {
  const best = bestOf(outcomes)
  if (best === undefined) return undefined
  const judged = outcomes.filter((one) => one === best || one.fold > 0).flatMap((one) => one.judged)
  return CalibrationFit.calibrationOf(best.temperature, judged)
}

/** The set with another part held back. */
export const partOf = (set: TrainingSet.TrainingSet, settings: Settings, fold: number): TrainingSet.TrainingSet =>
  fold === 0 ? set : { ...set, ...TrainingSet.carve(set, settings, fold) }

/** All rows, to learn from; of decisions, the training part. */
export const wholeOf = (set: TrainingSet.TrainingSet): TrainingSet.TrainingSet =>
  set.questions !== null
    ? set
    : {
        ...set,
        training: Uint32Array.from([...set.training, ...set.validation]).sort(),
        validation: new Uint32Array()
      }
