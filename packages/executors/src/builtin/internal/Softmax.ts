/**
 * The linear model's arithmetic: scores of sparse rows, and their softmax. Training uses this `score`; `Scorer.ts` computes the
 * same for a trained model, faster.
 */

/** A sparse row within larger arrays. */
export interface Row {
  readonly features: Uint32Array
  readonly values: Float32Array
  readonly from: number
  readonly to: number
}

/**
 * The weights of a feature are adjacent, one per label; the weights of the next feature begin `stride` numbers later.
 */
export interface Weights {
  readonly weights: Float32Array
  readonly stride: number
}

/**
 * Writes a score per label: `bias + scale · Σ value · weight`. Adds four features at a time, so that each sum is read
 * and written once for four; the order of additions, and so every bit of the sum, stays the same.
 */
export const score = (
  { features, from, to, values }: Row,
  { stride, weights }: Weights,
  scale: number,
  bias: Float32Array,
  into: Float64Array
): void => {
  const labels = into.length
  into.fill(0)
  let k = from
  for (; k + 4 <= to; k += 4) {
    const first = features[k]! * stride
    const second = features[k + 1]! * stride
    const third = features[k + 2]! * stride
    const fourth = features[k + 3]! * stride
    const a = values[k]!
    const b = values[k + 1]!
    const c = values[k + 2]!
    const d = values[k + 3]!
    for (let label = 0; label < labels; label++) {
      const sum = into[label]! + a * weights[first + label]! + b * weights[second + label]!
      into[label] = sum + c * weights[third + label]! + d * weights[fourth + label]!
    }
  }
  for (; k < to; k++) {
    const base = features[k]! * stride
    const value = values[k]!
    for (let label = 0; label < labels; label++) into[label] = into[label]! + value * weights[base + label]!
  }
  for (let label = 0; label < labels; label++) into[label] = bias[label]! + scale * into[label]!
}

/** Turns scores into probabilities, in place; safe for any finite scores. */
export const softmax = (scores: Float64Array, temperature = 1): void => {
  let highest = Number.NEGATIVE_INFINITY
  for (const value of scores) if (value > highest) highest = value
  let sum = 0
  for (let label = 0; label < scores.length; label++) {
    const value = Math.exp((scores[label]! - highest) / temperature)
    scores[label] = value
    sum += value
  }
  for (let label = 0; label < scores.length; label++) scores[label] = scores[label]! / sum
}

/** The index of the first greatest value. */
export const greatest = (values: Float64Array): number => {
  let best = 0
  for (let label = 1; label < values.length; label++) if (values[label]! > values[best]!) best = label
  return best
}
