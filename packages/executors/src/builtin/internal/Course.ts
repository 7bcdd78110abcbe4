/**
 * How a training goes: where the rows are few enough, epochs and learning rate are tried on the training part, the one that
 * does best on the validation part is chosen, its confidence calibrated there, and it learns once more from all rows.
 */
import type { Settings } from "../Settings.ts"
import * as Calibration from "./Calibration.ts"
import type { TrainingSet } from "./TrainingSet.ts"

type Pace = Pick<Settings, "epochs" | "learningRate">

/** What was found by one trial. */
export interface Outcome {
  readonly pace: Pace
  readonly calibration: Calibration.Calibration
}

/** Above so many rows the validation part is a small one of them, and one pace is as good as another. */
const rowsMax = 20_000
/** Below so many rows to compare by, luck would choose. */
const leastValidation = 20
/** A rate that many labels need: steps twice as long as those of the usual one. */
const fastRate = 0.05

/** The paces to try; none: the set is learnt once, as the settings say. */
export const trialsOf = ({ labels, training, validation }: TrainingSet, settings: Settings): ReadonlyArray<Pace> => {
  const { epochs, learningRate, tries } = settings
  const rows = training.length + validation.length
  if (!tries || labels.length < 2 || validation.length < leastValidation || rows > rowsMax) return []
  return [
    { epochs, learningRate },
    { epochs, learningRate: fastRate },
    { epochs: Math.max(1, Math.ceil(epochs / 3)), learningRate: fastRate }
  ]
}

/** `scored`: the validation part, after the trial. */
export const outcomeOf = (pace: Pace, scored: ReadonlyArray<Calibration.LabelScores>): Outcome => ({
  pace,
  calibration: Calibration.calibrate(scored)
})

/** The outcome of the least loss; undefined: nothing was tried. */
export const bestOf = (outcomes: ReadonlyArray<Outcome>): Outcome | undefined =>
  outcomes.toSorted((a, b) => a.calibration.loss - b.calibration.loss)[0]

/** All rows, to learn from. */
export const wholeOf = (set: TrainingSet): TrainingSet => ({
  ...set,
  training: Uint32Array.from([...set.training, ...set.validation]).sort(),
  validation: new Uint32Array()
})
