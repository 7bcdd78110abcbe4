/**
 * The share of future calls that a student answers for good, predicted from a holdout: an interval that covers the share of the next
 * calls, not only its expectation. Three samples add their variance: the holdout, the calls, and the verified calls.
 */
import * as Intervals from "./internal/Intervals.ts"

export interface Holdout {
  /** The share of the rows that the student answers. */
  readonly share: number
  /** Effective rows. */
  readonly rows: number
}

interface Bounds {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** The distance of an end with independent deviations (Zou and Donner, "Construction of confidence limits", 2008). */
const together = (...distances: ReadonlyArray<number>): number => Math.hypot(...distances)

/**
 * The share that is answered and not verified, with its 95 % prediction interval: that of Wilson (1927), with as many rows as have
 * the variance of both samples, and the binomial variance of verification. `calls`: the future ones, at least 1; `verified`: the share
 * of the answers that verification repeats.
 */
export const spared = ({ rows, share }: Holdout, calls: number, verified: number): Bounds => {
  const kept = 1 - verified
  const trials = 1 / (1 / rows + 1 / calls)
  const answered = Intervals.wilson(share * trials, trials) ?? { low: 0, high: 1 }
  const verification = Intervals.z * Math.sqrt((share * verified * kept) / calls)
  return {
    value: share * kept,
    low: Math.max(0, share * kept - together((share - answered.low) * kept, verification)),
    high: Math.min(1, share * kept + together((answered.high - share) * kept, verification))
  }
}
