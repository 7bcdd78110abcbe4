/**
 * Whether a student's traffic has changed since it went active: compares the first verified calls with the latest, by the
 * student's confidence and by the upstream's answer. Informs people, and guards nothing. Pure.
 */

/** What is known of a verified call; `answer` is the same number for the same answer. */
export interface Verified {
  readonly confidence: number | null
  readonly answer: number | null
}

/** What some calls came to. */
interface Sample {
  readonly count: number
  /** Of the calls with a known confidence. */
  readonly sure: { readonly count: number; readonly sum: number; readonly squares: number }
  /** Calls by the upstream's answer. */
  readonly answers: Readonly<Record<string, number>>
}

/** `previous` and `current` hold the latest calls. */
export interface Samples {
  readonly first: Sample
  readonly previous: Sample
  readonly current: Sample
}

/** Calls in the first sample, and in each of the two latest ones. */
const sizes = { first: 200, latest: 100 }
/** Of fewer latest calls nothing is told. */
const latestMin = 50

const empty: Sample = { count: 0, sure: { count: 0, sum: 0, squares: 0 }, answers: {} }
export const none: Samples = { first: empty, previous: empty, current: empty }

const withOne = ({ answers, count, sure }: Sample, { answer, confidence }: Verified): Sample => ({
  count: count + 1,
  sure:
    confidence === null
      ? sure
      : { count: sure.count + 1, sum: sure.sum + confidence, squares: sure.squares + confidence ** 2 },
  answers: answer === null ? answers : { ...answers, [answer]: (answers[answer] ?? 0) + 1 }
})

/** With one verified call more. */
export const add = ({ current, first, previous }: Samples, one: Verified): Samples => {
  if (first.count < sizes.first) return { first: withOne(first, one), previous, current }
  return current.count < sizes.latest
    ? { first, previous, current: withOne(current, one) }
    : { first, previous: current, current: withOne(empty, one) }
}

const joined = (one: Sample, other: Sample): Sample => {
  const answers: Record<string, number> = { ...one.answers }
  for (const [answer, count] of Object.entries(other.answers)) answers[answer] = (answers[answer] ?? 0) + count
  const sure = {
    count: one.sure.count + other.sure.count,
    sum: one.sure.sum + other.sure.sum,
    squares: one.sure.squares + other.sure.squares
  }
  return { count: one.count + other.count, sure, answers }
}

const meanOf = ({ sure: { count, sum } }: Sample): number => sum / count
/** Of the mean, squared. */
const errorOf = ({ sure: { count, squares, sum } }: Sample): number => (squares / count - (sum / count) ** 2) / count

export interface Drift {
  /** Calls that are compared: the first ones, and the latest. */
  readonly before: number
  readonly now: number
  /** Means, and their distance by chance; null without confidences. */
  readonly confidence: { readonly before: number; readonly now: number; readonly byChance: number } | null
  /** Changed share of answers (total variation), and its value by chance; null without answers. */
  readonly labels: { readonly distance: number; readonly byChance: number } | null
}

/** The mean absolute value of a standard normal variable. */
const meanDeviation = Math.sqrt(2 / Math.PI)

const confidenceOf = (before: Sample, now: Sample): Drift["confidence"] =>
  before.sure.count === 0 || now.sure.count === 0
    ? null
    : {
        before: meanOf(before),
        now: meanOf(now),
        byChance: meanDeviation * Math.sqrt(Math.max(0, errorOf(before) + errorOf(now)))
      }

const labelsOf = (before: Sample, now: Sample): Drift["labels"] => {
  const totalOf = ({ answers }: Sample) => Object.values(answers).reduce((sum, count) => sum + count, 0)
  const [all, latest] = [totalOf(before), totalOf(now)]
  if (all === 0 || latest === 0) return null
  const both = joined(before, now).answers
  let distance = 0
  let byChance = 0
  for (const [answer, count] of Object.entries(both)) {
    const share = count / (all + latest)
    distance += Math.abs((before.answers[answer] ?? 0) / all - (now.answers[answer] ?? 0) / latest) / 2
    byChance += (meanDeviation * Math.sqrt(share * (1 - share) * (1 / all + 1 / latest))) / 2
  }
  return { distance, byChance }
}

/** Null until there are calls enough. */
export const driftOf = ({ current, first, previous }: Samples): Drift | null => {
  const now = joined(previous, current)
  return first.count < sizes.first || now.count < latestMin
    ? null
    : { before: first.count, now: now.count, confidence: confidenceOf(first, now), labels: labelsOf(first, now) }
}
