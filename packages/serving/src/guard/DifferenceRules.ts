/**
 * Whether the distributions of a student and its teacher have moved apart, by the mean of their differences, each 0 to 1. Callers
 * compare probabilities with thresholds of their own, so a teacher that becomes less sure matters though both still agree. Pure.
 *
 * Each bet multiplies its wealth by 1 + b (difference / limit - 1) with a fixed b below 1. While the mean is at most the limit, no bet
 * is expected to grow, and so all together reach 1/a with a probability of at most a (Ville, 1939). A part of the stake waits and is
 * bet later, so that a long good history does not hide a change (Shin, Ramdas and Rinaldo, "E-detectors", 2022).
 */
import type * as DecisionEvaluation from "@limbeck/distill/report/DecisionEvaluation"

export interface DifferenceBets {
  readonly compared: number
  /** By bet. */
  readonly wealth: ReadonlyArray<number>
}

/** Small ones win by small changes that last, large ones by large changes at once. */
const bets = [0.9, 0.45, 0.225, 0.11, 0.055, 0.028]

/** Comparisons after which a part of the stake is bet. */
const blockSize = 200
/** The part of the stake on the beginning; the rest is bet on later blocks, the sooner the more. */
const firstStake = 0.2
/** Wealth beyond which nothing is told apart. JSON has no infinity. */
const wealthMax = 1e100

export const none: DifferenceBets = { compared: 0, wealth: bets.map(() => 0) }

const stakeAt = (block: number): number => (block === 0 ? firstStake : (1 - firstStake) / (block * (block + 1)))

/** Of few rows one more counts, whose teacher says nothing: a mean of few may be near 0 by luck. */
const priorDifference = 0.25
/** How far above its evidence the mean of a student that has not changed may lie. */
const slack = { factor: 1.5, least: 0.002 }

/** The largest mean that is not told. */
export const limitOf = ({ compared, difference }: typeof DecisionEvaluation.AloneRows.Type): number =>
  Math.min(1, (slack.factor * (difference + priorDifference)) / (compared + 1) + slack.least)

/** With one comparison more. */
export const add = ({ compared, wealth }: DifferenceBets, difference: number, limit: number): DifferenceBets => {
  const stake = compared % blockSize === 0 ? stakeAt(compared / blockSize) / bets.length : 0
  return {
    compared: compared + 1,
    wealth: bets.map((bet, at) =>
      Math.min(wealthMax, ((wealth[at] ?? 0) + stake) * (1 + bet * (difference / limit - 1)))
    )
  }
}

/** Whether the mean has almost certainly not stayed at the limit or below. */
export const isOver = ({ wealth }: DifferenceBets, error: number): boolean =>
  wealth.reduce((sum, one) => sum + one, 0) >= 1 / error
