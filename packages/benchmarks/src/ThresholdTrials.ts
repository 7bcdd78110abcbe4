/**
 * Recommended thresholds on random holdouts, judged by the truth. The fresh rows of a set are the traffic: a holdout is drawn from them
 * with replacement, so that a small set judges as well as a large one. Teachers err at random, each answer for itself, and are asked
 * again about every row of the holdout.
 */
import * as Recommendation from "@limbeck/distill/report/Recommendation"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

/** The student's answer to a fresh row. */
export interface Prediction {
  readonly student: string
  readonly confidence: number
  readonly gold: string
}

const margin = 0.02

/** Of one holdout; shares of the traffic. */
interface Outcome {
  readonly share: number
  /** By how much the cascade is right more often than the teacher. */
  readonly gained: number
  readonly isRecommended: boolean
  /** Whether the agreement with second answers is within the interval of the report. */
  readonly isCovered: boolean
}

export interface Trials {
  readonly share: number
  readonly recommended: number
  /** Shares of the holdouts: more than the margin below the teacher, and outside of the report's interval. */
  readonly broken: number
  readonly uncovered: number
}

export type Uniform = () => number

export const uniformOf = (seed: number): Uniform => {
  const bits = SeededRandom.make(seed)
  return () => bits() / 2 ** 32
}

/** The truth, or with probability `noise` any other label. */
export const answerOf = (gold: string, labels: ReadonlyArray<string>, noise: number, next: Uniform): string => {
  if (next() >= noise || labels.length < 2) return gold
  const other = labels[Math.floor(next() * (labels.length - 1))] ?? gold
  return other === gold ? (labels.at(-1) ?? gold) : other
}

/** Of the cascade at a threshold; the teacher is right in `1 - noise` of the rows. */
export const judge = (rows: ReadonlyArray<Prediction>, threshold: number, noise: number) => {
  const answered = rows.filter(({ confidence }) => confidence >= threshold)
  const right = answered.filter(({ gold, student }) => gold === student).length
  return { share: answered.length / rows.length, gained: (right - answered.length * (1 - noise)) / rows.length }
}

/** The largest share that is not worse than the teacher by more than the margin, in hindsight. */
export const possible = (rows: ReadonlyArray<Prediction>, noise: number): number => {
  const sorted = rows.toSorted((a, b) => b.confidence - a.confidence)
  let gained = 0
  let share = 0
  for (const [index, { confidence, gold, student }] of sorted.entries()) {
    gained += (gold === student ? 1 : 0) - (1 - noise)
    const isWhole = sorted[index + 1]?.confidence !== confidence
    if (isWhole && gained / rows.length >= -margin) share = (index + 1) / rows.length
  }
  return share
}

const outcomeOf = (
  rows: ReadonlyArray<Prediction>,
  labels: ReadonlyArray<string>,
  noise: number,
  size: number,
  next: Uniform
): Outcome => {
  const items = Array.from({ length: size }, () => {
    const { confidence, gold, student } = rows[Math.floor(next() * rows.length)]!
    const [teacher, again] = [answerOf(gold, labels, noise, next), answerOf(gold, labels, noise, next)]
    return { student, teacher, again, agrees: student === teacher, confidence }
  })
  const { recommendation } = Recommendation.make(items, { student: null, teacher: null })
  if (recommendation === null) return { share: 0, gained: 0, isRecommended: false, isCovered: true }
  const { agreement, threshold } = recommendation
  const agreed = rows.filter(({ confidence, gold, student }) => {
    const [teacher, again] = [answerOf(gold, labels, noise, next), answerOf(gold, labels, noise, next)]
    return (confidence >= threshold ? student : teacher) === again
  }).length
  const fresh = agreed / rows.length
  return {
    ...judge(rows, threshold, noise),
    isRecommended: true,
    isCovered: agreement.low <= fresh && fresh <= agreement.high
  }
}

/** The same for the same rows. */
export const of = (rows: ReadonlyArray<Prediction>, noise: number, size: number, draws: number): Trials => {
  const labels = [...new Set(rows.map(({ gold }) => gold))].sort()
  const outcomes = Array.from({ length: draws }, (_, draw) =>
    outcomeOf(rows, labels, noise, size, uniformOf(1 + draw * 7_919 + size))
  )
  const shareOf = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length / draws
  return {
    share: outcomes.reduce((sum, { share }) => sum + share, 0) / draws,
    recommended: shareOf(({ isRecommended }) => isRecommended),
    broken: shareOf(({ gained }) => gained < -margin),
    uncovered: shareOf(({ isCovered }) => !isCovered)
  }
}
