/**
 * The agreement of a student that learns from a part of the rows, on the first held-back part: nested parts of an eighth, a quarter and a
 * half, and the whole, which a trial has measured. Digests order the rows, so each part forms a random sample.
 */
import type { MeasuredPoint } from "@limbeck/distill/report/LearningCurve"
import * as Weights from "@limbeck/distill/report/statistics/Weights"
import type * as CalibrationFit from "./CalibrationFit.ts"
import type { TrainingSet } from "./TrainingSet.ts"

/** Every eighth row, every fourth, and every second. */
export const steps = [8, 4, 2] as const

/** Smaller sets leave too few rows in an eighth. */
const rowsMin = 80

export const isMeasurable = ({ questions, training, validation }: TrainingSet): boolean =>
  questions === null && training.length >= rowsMin && validation.length > 0

/** The set with every `step`th row of its training part. */
export const partOf = (set: TrainingSet, step: number): TrainingSet => ({
  ...set,
  training: set.training.filter((_, at) => at % step === 0)
})

/** `judged`: the held-back rows after learning from the part. */
export const pointOf = (
  { training }: TrainingSet,
  step: number,
  judged: ReadonlyArray<CalibrationFit.JudgedRow>
): MeasuredPoint => {
  const { successes, trials } = Weights.countsOf(judged, ({ isRight }) => isRight)
  return { share: 1 / step, rows: training.length, compared: trials, agreed: successes }
}
