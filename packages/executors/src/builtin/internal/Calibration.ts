/**
 * Makes confidence mean what it says: one temperature for all scores (Guo et al., "On calibration of modern neural
 * networks", 2017), and the expected calibration error that is left.
 */
import { greatest, softmax } from "./Softmax.ts"

/** Scores of a row and the label that is right for it. */
export interface LabelScores {
  readonly scores: Float64Array
  readonly label: number
}

/** Wide enough for a model that hardly learnt (its scores are tiny) and for one that knows its rows by heart. */
const bounds = { low: Math.log(1e-3), high: Math.log(1e3) }
const steps = 60
const golden = (Math.sqrt(5) - 1) / 2

/** Mean negative log-likelihood of the labels, in nats. `doubt` is the probability mass that targets leave to other labels. */
export const lossOf = (scored: ReadonlyArray<LabelScores>, temperature: number, doubt = 0): number => {
  let loss = 0
  for (const { label, scores } of scored) {
    const probabilities = scores.slice()
    softmax(probabilities, temperature)
    const rest = scores.length > 1 ? doubt / (scores.length - 1) : 0
    for (let other = 0; other < scores.length; other++) {
      const target = other === label ? 1 - doubt : rest
      if (target > 0) loss -= target * Math.log(Math.max(probabilities[other]!, Number.MIN_VALUE))
    }
  }
  return scored.length === 0 ? 0 : loss / scored.length
}

/**
 * The temperature with the least loss, by golden section over its logarithm. Targets are softened as Platt does it, so that a
 * handful of rows that are all right does not make it certain. 1 where there is nothing to fit.
 */
export const fitTemperature = (scored: ReadonlyArray<LabelScores>): number => {
  if (scored.length === 0 || scored[0]!.scores.length < 2) return 1
  const doubt = 1 / (scored.length + 2)
  const loss = (log: number) => lossOf(scored, Math.exp(log), doubt)
  let { high, low } = bounds
  let left = high - golden * (high - low)
  let right = low + golden * (high - low)
  let lossLeft = loss(left)
  let lossRight = loss(right)
  for (let step = 0; step < steps && high - low > 1e-4; step++) {
    if (lossLeft <= lossRight) {
      high = right
      right = left
      lossRight = lossLeft
      left = high - golden * (high - low)
      lossLeft = loss(left)
    } else {
      low = left
      left = right
      lossLeft = lossRight
      right = low + golden * (high - low)
      lossRight = loss(right)
    }
  }
  return Math.exp((low + high) / 2)
}

export interface JudgedAnswer {
  readonly confidence: number
  readonly isRight: boolean
}

const bins = 10

/** Mean distance between confidence and accuracy over ten equal bins of confidence, weighted by their rows; 0 for no rows. */
export const calibrationError = (judged: ReadonlyArray<JudgedAnswer>): number => {
  const sums = Array.from({ length: bins }, () => ({ confidence: 0, right: 0 }))
  for (const { confidence, isRight } of judged) {
    const bin = sums[Math.min(bins - 1, Math.floor(confidence * bins))]!
    bin.confidence += confidence
    bin.right += Number(isRight)
  }
  const distance = sums.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0)
  return judged.length === 0 ? 0 : distance / judged.length
}

export const judge = ({ label, scores }: LabelScores, temperature: number): JudgedAnswer => {
  const probabilities = scores.slice()
  softmax(probabilities, temperature)
  const best = greatest(probabilities)
  return { confidence: probabilities[best]!, isRight: best === label }
}
