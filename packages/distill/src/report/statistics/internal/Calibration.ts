/** Measures calibration: of answers with confidence 0.8, 80 % should be right. Each answer counts by its weight. */
import * as Weights from "../Weights.ts"

export interface Prediction extends Weights.WeightedRow {
  /** 0 to 1. */
  readonly confidence: number
  readonly correct: boolean
}

interface CalibrationBin {
  /** Confidences above `from`, up to and including `to`; the first bin takes 0 too. */
  readonly from: number
  readonly to: number
  /** Of answers. */
  readonly count: number
  /** Means over the bin, from 0 to 1; null for an empty bin. */
  readonly confidence: number | null
  readonly accuracy: number | null
}

export interface Calibration {
  /** From 0 (perfectly calibrated) to 1. */
  readonly expectedError: number
  readonly bins: ReadonlyArray<CalibrationBin>
}

const binOf = (members: ReadonlyArray<Prediction>, index: number, count: number): CalibrationBin => {
  const { weights } = Weights.sumsOf(members)
  const share = (sum: number) => (weights === 0 ? null : sum / weights)
  return {
    from: index / count,
    to: (index + 1) / count,
    count: members.length,
    confidence: share(members.reduce((sum, { confidence, weight = 1 }) => sum + weight * confidence, 0)),
    accuracy: share(Weights.sumsOf(members.filter(({ correct }) => correct)).weights)
  }
}

/** The first bin with an upper edge at or above the confidence. */
const indexOf = (confidence: number, bins: number): number => {
  const guess = Math.min(Math.max(Math.ceil(confidence * bins) - 1, 0), bins - 1)
  // The product is rounded, so the displayed edges decide.
  if (guess > 0 && confidence <= guess / bins) return guess - 1
  return guess < bins - 1 && confidence > (guess + 1) / bins ? guess + 1 : guess
}

/** How far the bin's confidence is from its accuracy. */
const errorOf = ({ accuracy, confidence }: CalibrationBin): number =>
  accuracy === null || confidence === null ? 0 : Math.abs(accuracy - confidence)

/**
 * The expected calibration error (Naeini and others 2015; Guo and others 2017) over bins of equal width, 10 by default,
 * and the bins of a reliability diagram. Undefined without predictions.
 */
export const calibration = (predictions: ReadonlyArray<Prediction>, bins = 10): Calibration | undefined => {
  if (predictions.length === 0) return undefined
  const members: ReadonlyArray<Array<Prediction>> = Array.from({ length: bins }, () => [])
  for (const prediction of predictions) members[indexOf(prediction.confidence, bins)]?.push(prediction)
  const filled = members.map((bin, index) => binOf(bin, index, bins))
  const error = members.reduce((sum, bin, index) => sum + Weights.sumsOf(bin).weights * errorOf(filled[index]!), 0)
  return { expectedError: error / Weights.sumsOf(predictions).weights, bins: filled }
}
