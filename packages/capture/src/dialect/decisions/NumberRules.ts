/**
 * The numbers of an answer (contract 16.24): rounded probabilities that add up to exactly 1, and what follows from them. A
 * confidence is no probability of being right: it is 0 for the uniform distribution, and 1 for a certain answer.
 */

/** Decimals of the probabilities in an answer. */
const answerDecimals = 4

/** In `scale` parts of 1: the floors, then one part more for the largest remainders, the first of equals. */
const partsOf = (weights: ReadonlyArray<number>, scale: number): ReadonlyArray<number> => {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const exact = weights.map((weight) => (total > 0 ? (weight / total) * scale : scale / weights.length))
  const parts = exact.map(Math.floor)
  const missing = scale - parts.reduce((sum, part) => sum + part, 0)
  const byRemainder = exact.map((_, at) => at).toSorted((a, b) => exact[b]! - parts[b]! - (exact[a]! - parts[a]!))
  for (const at of byRemainder.slice(0, missing)) parts[at] = parts[at]! + 1
  return parts
}

/**
 * The distribution with this number of decimals; its sum is exactly 1 in decimals. The weights need not add up to 1. Without a
 * positive weight the distribution is uniform.
 */
export const roundWeights = (weights: ReadonlyArray<number>, decimals = answerDecimals): ReadonlyArray<number> => {
  const scale = 10 ** decimals
  return partsOf(weights, scale).map((part) => part / scale)
}

/** The position of the most probable option, the first of equals. */
export const mostProbable = (probabilities: ReadonlyArray<number>): number =>
  probabilities.reduce((best, probability, at) => (probability > probabilities[best]! ? at : best), 0)

/** Without the noise of binary fractions. */
const plain = (value: number): number => Number(value.toFixed(10))

/** (max - 1/K) / (1 - 1/K) for K options; 1 for one option. */
export const choiceConfidence = (probabilities: ReadonlyArray<number>): number => {
  const count = probabilities.length
  if (count <= 1) return 1
  return plain((probabilities[mostProbable(probabilities)]! - 1 / count) / (1 - 1 / count))
}

/** The sum of index times probability. */
export const scoreOf = (probabilities: ReadonlyArray<number>): number =>
  plain(probabilities.reduce((sum, probability, level) => sum + level * probability, 0))

/** The mean distance of `count` equally probable levels from the middle. */
const uniformDistance = (count: number): number => {
  const middle = (count - 1) / 2
  let sum = 0
  for (let level = 0; level < count; level++) sum += Math.abs(level - middle)
  return sum / count
}

/** max(0, 1 - E|i - mode| / D), where D is the mean distance from the middle under the uniform distribution; 1 for one level. */
export const scoreConfidence = (probabilities: ReadonlyArray<number>): number => {
  if (probabilities.length <= 1) return 1
  const mode = mostProbable(probabilities)
  const distance = probabilities.reduce((sum, probability, level) => sum + Math.abs(level - mode) * probability, 0)
  return plain(Math.max(0, 1 - distance / uniformDistance(probabilities.length)))
}
