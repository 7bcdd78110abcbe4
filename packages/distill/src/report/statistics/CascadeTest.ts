/**
 * Whether a student and its fallback together are as good as the teacher but for a margin, at each threshold of a fixed sequence.
 *
 * "Learn then Test" (Angelopoulos, Bates, Candès, Jordan and Lei 2021) with fixed-sequence testing: from the strictest threshold
 * down, each is tested at the whole error, and the first that fails ends the sequence. So a threshold that is worse by more than the
 * margin is recommended with a probability of at most the error, however many there are.
 *
 * Each test is paired: student and teacher are right or wrong on the same rows, so only rows on which they differ count. The p value
 * is the exact probability of gains less losses as high as seen, where they are lower by exactly the margin, at the most likely share
 * of rows that differ (the estimated p value of Lloyd 2008; Nam 1997 and Tango 1998 for that share). Without gains it is the binomial
 * test. Pure.
 */
import * as Binomial from "./internal/Binomial.ts"

export interface PairedRow {
  /** Null: the student is never asked, or its answer never counts. */
  readonly confidence: number | null
  readonly isStudentRight: boolean
  readonly isTeacherRight: boolean
}

export interface TestedThreshold {
  readonly threshold: number
  readonly answered: number
  /** Answered rows on which only the student is right, and only the teacher. */
  readonly gains: number
  readonly losses: number
  readonly p: number
}

/**
 * The most likely share of gains where losses are more frequent by exactly `margin`: the root of the derivative of the likelihood
 * with gains ~ q, losses ~ q + margin, and neither ~ 1 - 2q - margin.
 */
const gainAt = (rows: number, gains: number, losses: number, margin: number): number => {
  const neither = rows - gains - losses
  const linear = (2 * neither * margin - (gains + losses) * (1 - margin) + 2 * gains * margin) / rows
  const constant = (-gains * margin * (1 - margin)) / rows
  return Math.max(0, (-linear + Math.sqrt(linear * linear - 8 * constant)) / 4)
}

/**
 * The margin to test against the teacher's second answers, so that the student is not worse by more than `margin` by the truth: a second
 * answer that is wrong itself hides a part of each difference, as large as the teacher's errors. `itself`: how often the two agree.
 */
export const marginAgainstItself = (margin: number, itself: number): number => margin * Math.sqrt(itself)

/** Of the hypothesis that losses exceed gains by `margin` of the rows or more. 1 without rows. */
export const pValue = (rows: number, gains: number, losses: number, margin: number): number => {
  if (rows === 0) return 1
  const gain = gainAt(rows, gains, losses, margin)
  return Binomial.differenceAtLeast(gains - losses, rows, gain, gain + margin)
}

export interface CascadeTestOptions {
  /** Ascending. */
  readonly thresholds: ReadonlyArray<number>
  /** How much worse than the teacher is still as good: a share of all rows. */
  readonly margin: number
  /** With this probability at most a recommended threshold is worse by more. */
  readonly error: number
}

/** `before`: the test of the next stricter threshold, whose p holds where no row that differs has come in. */
const testedAt = (
  rows: ReadonlyArray<PairedRow>,
  threshold: number,
  margin: number,
  before: TestedThreshold | undefined
): TestedThreshold => {
  let [answered, gains, losses] = [0, 0, 0]
  for (const { confidence, isStudentRight, isTeacherRight } of rows) {
    if (confidence === null || confidence < threshold) continue
    answered++
    if (isStudentRight && !isTeacherRight) gains++
    if (isTeacherRight && !isStudentRight) losses++
  }
  const isSame = before !== undefined && before.gains === gains && before.losses === losses
  return { threshold, answered, gains, losses, p: isSame ? before.p : pValue(rows.length, gains, losses, margin) }
}

/** The tested thresholds from the strictest down, the last of which is the first that failed, if any did. */
export const run = (
  rows: ReadonlyArray<PairedRow>,
  { error, margin, thresholds }: CascadeTestOptions
): ReadonlyArray<TestedThreshold> => {
  const tested: Array<TestedThreshold> = []
  for (const threshold of thresholds.toReversed()) {
    const result = testedAt(rows, threshold, margin, tested.at(-1))
    tested.push(result)
    if (result.p > error) break
  }
  return tested
}
