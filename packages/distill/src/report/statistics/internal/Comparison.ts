/** Student against teacher, row by row. */
import * as Intervals from "./Intervals.ts"

/** Scores of one row by student and teacher, from 0 to 1; null without a score. */
export interface Pair {
  readonly student: number | null
  readonly teacher: number | null
}

export interface Comparison {
  /** Pairs with both scores; the figures below exclude all other pairs. */
  readonly compared: number
  readonly skipped: number
  /** Of the student; the three add up to `compared`. */
  readonly wins: number
  readonly ties: number
  readonly losses: number
  /** Means of the compared pairs, and student less teacher, -1 to 1; null when nothing was compared. */
  readonly student: number | null
  readonly teacher: number | null
  readonly difference: number | null
  /** Interval of the mean paired difference. */
  readonly interval: Intervals.Interval | null
}

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

const isWhole = (pair: Pair): pair is { readonly student: number; readonly teacher: number } =>
  pair.student !== null && pair.teacher !== null

/** What doubles may differ by although their decimals are the tolerance apart: 0.4 - 0.3 is above 0.1. */
const rounding = 1e-9

/** Scores that differ by at most `tolerance` (0 by default) tie. The interval is a paired bootstrap with this seed. */
export const compare = (pairs: ReadonlyArray<Pair>, seed: number, tolerance = 0): Comparison => {
  const whole = pairs.filter(isWhole)
  const differences = whole.map(({ student, teacher }) => student - teacher)
  const wins = differences.filter((difference) => difference > tolerance + rounding).length
  const losses = differences.filter((difference) => difference < -tolerance - rounding).length
  return {
    compared: whole.length,
    skipped: pairs.length - whole.length,
    wins,
    ties: whole.length - wins - losses,
    losses,
    student: mean(whole.map(({ student }) => student)),
    teacher: mean(whole.map(({ teacher }) => teacher)),
    difference: mean(differences),
    interval: Intervals.ofMean(differences, seed) ?? null
  }
}
