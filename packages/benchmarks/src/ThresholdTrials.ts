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
  /** Null: the request is unlike the student's rows, and its fallback answers it. */
  readonly confidence: number | null
  readonly gold: string
}

const margin = 0.02

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

/** Student and fallback at a threshold; shares of the traffic. */
interface Cascade {
  readonly share: number
  /** By how much the cascade is right more often than the teacher. */
  readonly gained: number
  /** With the teacher's next answer. */
  readonly agreement: number
}

/** All calls of a set, judged by expectation: each threshold costs a search and no random answers. */
export interface Traffic {
  readonly rows: ReadonlyArray<Prediction>
  readonly labels: ReadonlyArray<string>
  readonly noise: number
  readonly at: (threshold: number) => Cascade
  /** The largest share that is not worse than the teacher by more than the margin, in hindsight. */
  readonly possible: number
}

type Judged = Prediction & { readonly confidence: number }

/** The number of rows at or above the threshold; `sorted` by descending confidence. */
const answeredAt = (sorted: ReadonlyArray<Judged>, threshold: number): number => {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (sorted[middle]!.confidence >= threshold) from = middle + 1
    else to = middle
  }
  return from
}

export const trafficOf = (rows: ReadonlyArray<Prediction>, noise: number): Traffic => {
  const labels = [...new Set(rows.map(({ gold }) => gold))].sort()
  const sorted = rows
    .flatMap((row) => (row.confidence === null ? [] : [{ ...row, confidence: row.confidence }]))
    .sort((a, b) => b.confidence - a.confidence)
  const right = [0]
  for (const { gold, student } of sorted) right.push((right.at(-1) ?? 0) + Number(gold === student))
  const wrongAlike = noise / Math.max(1, labels.length - 1)
  const itself = (1 - noise) ** 2 + noise * wrongAlike
  const cascadeOf = (answered: number): Cascade => {
    const isRight = right[answered] ?? 0
    const agreed = isRight * (1 - noise) + (answered - isRight) * wrongAlike
    return {
      share: answered / rows.length,
      gained: (isRight - answered * (1 - noise)) / rows.length,
      agreement: (agreed + (rows.length - answered) * itself) / rows.length
    }
  }
  const possible = sorted.reduce((share, { confidence }, index) => {
    const isWhole = sorted[index + 1]?.confidence !== confidence
    const cascade = cascadeOf(index + 1)
    return isWhole && cascade.gained >= -margin ? cascade.share : share
  }, 0)
  return { rows, labels, noise, at: (threshold) => cascadeOf(answeredAt(sorted, threshold)), possible }
}

/** A report's item for a random call, whose teacher is asked twice. */
export const drawItem = ({ labels, noise, rows }: Traffic, next: Uniform) => {
  const { confidence, gold, student } = rows[Math.floor(next() * rows.length)]!
  const [teacher, again] = [answerOf(gold, labels, noise, next), answerOf(gold, labels, noise, next)]
  return { student, teacher, again, agrees: student === teacher, confidence }
}

/** Of one holdout. */
interface Outcome extends Pick<Cascade, "gained" | "share"> {
  readonly isRecommended: boolean
  /** Whether the agreement with second answers is within the interval of the report. */
  readonly isCovered: boolean
}

const outcomeOf = (traffic: Traffic, size: number, next: Uniform): Outcome => {
  const items = Array.from({ length: size }, () => drawItem(traffic, next))
  const { recommendation } = Recommendation.make(items, { student: null, teacher: null })
  if (recommendation === null) return { share: 0, gained: 0, isRecommended: false, isCovered: true }
  const { agreement, threshold } = recommendation
  const kept = traffic.at(threshold)
  return {
    share: kept.share,
    gained: kept.gained,
    isRecommended: true,
    isCovered: agreement.low <= kept.agreement && kept.agreement <= agreement.high
  }
}

export interface Trials {
  readonly share: number
  readonly recommended: number
  /** Shares of the holdouts: more than the margin below the teacher, and outside of the report's interval. */
  readonly broken: number
  readonly uncovered: number
}

/** The same for the same traffic. */
export const of = (traffic: Traffic, size: number, draws: number): Trials => {
  const outcomes = Array.from({ length: draws }, (_, draw) =>
    outcomeOf(traffic, size, uniformOf(1 + draw * 7_919 + size))
  )
  const shareOf = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length / draws
  return {
    share: outcomes.reduce((sum, { share }) => sum + share, 0) / draws,
    recommended: shareOf(({ isRecommended }) => isRecommended),
    broken: shareOf(({ gained }) => gained < -margin),
    uncovered: shareOf(({ isCovered }) => !isCovered)
  }
}
