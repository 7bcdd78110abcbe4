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
 * test.
 *
 * A row with a weight stands for several calls. Sums of weights are counted in rows of the weight of the heaviest row that is
 * answered, losses rounded up and gains down: a sum of bounded independent terms is spread no wider than as many whole rows would be
 * (Hoeffding 1956, 1963), so the error holds whatever rows the losses are on. With equal weights each row counts once. Pure.
 */
import * as Binomial from "./internal/Binomial.ts"
import * as Weights from "./Weights.ts"

export interface PairedRow extends Weights.WeightedRow {
  /** Null: the student is never asked, or its answer never counts. */
  readonly confidence: number | null
  readonly isStudentRight: boolean
  readonly isTeacherRight: boolean
}

/** Answered rows, and those of them on which only the student is right, and only the teacher. */
interface AnsweredRows {
  readonly answered: number
  readonly gains: number
  readonly losses: number
}

export interface TestedThreshold extends AnsweredRows {
  readonly threshold: number
  /** All rows, in units of the heaviest answered row like the other counts. */
  readonly rows: number
  /** The sums of their weights. */
  readonly weights: AnsweredRows
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
 * answer that is wrong itself hides a part of each difference, and a part more where it meets a wrong answer, which few labels make
 * frequent. Of a teacher that is right in a share t of the rows and else gives any other of `labels` answers, a difference by the truth
 * shrinks by the factor t - (1 - t) / (labels - 1). The root below computes the factor from `itself`, the teacher's agreement with its own
 * second answers.
 */
export const marginAgainstItself = (margin: number, itself: number, labels: number): number => {
  const others = Math.max(1, labels - 1)
  return margin * Math.sqrt(Math.max(0, itself - (1 - itself) / others))
}

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

/** Sums of weights are inexact: whole numbers of rows must remain whole. */
const tolerance = 1e-9

const sumAt = (rows: ReadonlyArray<PairedRow>, threshold: number): AnsweredRows & { readonly heaviest: number } => {
  let [answered, gains, losses, heaviest] = [0, 0, 0, 0]
  for (const { confidence, isStudentRight, isTeacherRight, weight = 1 } of rows) {
    if (confidence === null || confidence < threshold) continue
    answered += weight
    heaviest = Math.max(heaviest, weight)
    if (isStudentRight && !isTeacherRight) gains += weight
    if (isTeacherRight && !isStudentRight) losses += weight
  }
  return { answered, gains, losses, heaviest }
}

/** `total`: the weight of all rows. `before`: the test of the next stricter threshold, whose p holds where its counts do. */
const testedAt = (
  rows: ReadonlyArray<PairedRow>,
  total: number,
  threshold: number,
  margin: number,
  before: TestedThreshold | undefined
): TestedThreshold => {
  const { heaviest, ...weights } = sumAt(rows, threshold)
  const unit = heaviest === 0 ? 1 : heaviest
  const floored = (weight: number) => Math.floor(weight / unit + tolerance)
  const [all, gains] = [floored(total), floored(weights.gains)]
  const losses = Math.min(all - gains, Math.ceil(Math.max(0, weights.losses / unit - tolerance)))
  const isSame = before !== undefined && before.rows === all && before.gains === gains && before.losses === losses
  const p = isSame ? before.p : pValue(all, gains, losses, margin)
  return { threshold, rows: all, answered: floored(weights.answered), gains, losses, weights, p }
}

/** The tested thresholds from the strictest down, the last of which is the first that failed, if any did. */
export const run = (
  rows: ReadonlyArray<PairedRow>,
  { error, margin, thresholds }: CascadeTestOptions
): ReadonlyArray<TestedThreshold> => {
  const tested: Array<TestedThreshold> = []
  const total = Weights.sumsOf(rows).weights
  for (const threshold of thresholds.toReversed()) {
    const result = testedAt(rows, total, threshold, margin, tested.at(-1))
    tested.push(result)
    if (result.p > error) break
  }
  return tested
}
