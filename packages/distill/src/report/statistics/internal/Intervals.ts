/** How sure a mean is: 95 % intervals, each with the name of its method. */

import * as SeededRandom from "../SeededRandom.ts"
import { quantileOfSorted } from "./Quantiles.ts"

export interface Interval {
  readonly low: number
  readonly high: number
  readonly method: "wilson" | "bootstrap_percentile" | "normal"
}

/** The 97.5 % point of the standard normal distribution: what a 95 % interval reaches on each side. */
export const z = 1.959963984540054

/** Resamples of a bootstrap. The ends vary between seeds by a few hundredths of the interval's width. */
const resamples = 2_000

/** Above this many values resampling takes seconds, and its interval and the normal one are the same. */
const bootstrapMax = 10_000

/**
 * The score interval of Wilson (1927), without continuity correction, for `successes` out of `trials`: a share, 0 to 1.
 * Unlike the normal one it is honest near 0 and 1, and for few trials. Undefined without trials.
 * `point`: of the standard normal distribution, how far the interval reaches; by default for 95 %.
 */
export const wilson = (successes: number, trials: number, point = z): Interval | undefined => {
  if (trials === 0) return undefined
  const share = successes / trials
  const weight = point ** 2 / trials
  const center = (share + weight / 2) / (1 + weight)
  const reach = (point / (1 + weight)) * Math.sqrt((share * (1 - share)) / trials + weight / (4 * trials))
  // At the ends the formula gives 0 and 1 but for rounding.
  const low = successes === 0 ? 0 : center - reach
  const high = successes === trials ? 1 : center + reach
  return { low, high, method: "wilson" }
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length

const clamped = (value: number, sorted: Float64Array): number =>
  Math.min(Math.max(value, sorted[0] ?? value), sorted.at(-1) ?? value)

/** The ascending means of all resamples, drawn with replacement, each with the size of the sample. */
const resampledMeans = (sorted: Float64Array, seed: number): Float64Array => {
  const bits = SeededRandom.make(seed)
  const count = sorted.length
  const means = new Float64Array(resamples)
  for (let round = 0; round < resamples; round++) {
    let sum = 0
    for (let drawn = 0; drawn < count; drawn++) sum += sorted[Math.floor((bits() / 2 ** 32) * count)] ?? 0
    means[round] = sum / count
  }
  return means.sort()
}

const bootstrap = (sorted: Float64Array, seed: number): Interval => {
  const means = resampledMeans(sorted, seed)
  const end = (p: number) => clamped(quantileOfSorted(means, p), sorted)
  return { low: end(0.025), high: end(0.975), method: "bootstrap_percentile" }
}

const normal = (sorted: Float64Array): Interval => {
  const mean = meanOf(sorted)
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const reach = z * Math.sqrt(squares / (sorted.length - 1) / sorted.length)
  return { low: clamped(mean - reach, sorted), high: clamped(mean + reach, sorted), method: "normal" }
}

/**
 * For the mean of any values, in their unit: Efron's percentile bootstrap with 2,000 resamples, the same for the same seed
 * and values in any order; the normal interval above 10,000 values. Never wider than the values reach. Undefined of none.
 */
export const ofMean = (values: ReadonlyArray<number>, seed: number): Interval | undefined => {
  if (values.length === 0) return undefined
  const sorted = Float64Array.from(values).sort()
  return sorted.length > bootstrapMax ? normal(sorted) : bootstrap(sorted, seed)
}

/**
 * The interval of a mean of scores from 0 to 1: Wilson's if every score is 0 or 1, else `ofMean`. Undefined without
 * scores.
 */
export const ofScores = (scores: ReadonlyArray<number>, seed: number): Interval | undefined =>
  scores.every((score) => score === 0 || score === 1)
    ? wilson(scores.filter((score) => score === 1).length, scores.length)
    : ofMean(scores, seed)
