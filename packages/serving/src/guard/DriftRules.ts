/**
 * Whether a student's traffic has changed since it went active: compares the first verified calls with the latest, by the
 * upstream's answer. Informs people, and guards nothing. Pure.
 */

/** What is known of a verified call; `answer` is the same number for the same answer. */
export interface VerifiedCounts {
  readonly answer: number | null
}

/** What some calls came to. */
interface Sample {
  readonly count: number
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

const empty: Sample = { count: 0, answers: {} }
export const none: Samples = { first: empty, previous: empty, current: empty }

const withOne = ({ answers, count }: Sample, { answer }: VerifiedCounts): Sample => ({
  count: count + 1,
  answers: answer === null ? answers : { ...answers, [answer]: (answers[answer] ?? 0) + 1 }
})

/** With one verified call more. */
export const add = ({ current, first, previous }: Samples, one: VerifiedCounts): Samples => {
  if (first.count < sizes.first) return { first: withOne(first, one), previous, current }
  return current.count < sizes.latest
    ? { first, previous, current: withOne(current, one) }
    : { first, previous: current, current: withOne(empty, one) }
}

const joined = (one: Sample, other: Sample): Sample => {
  const answers: Record<string, number> = { ...one.answers }
  for (const [answer, count] of Object.entries(other.answers)) answers[answer] = (answers[answer] ?? 0) + count
  return { count: one.count + other.count, answers }
}

export interface Drift {
  /** Calls that are compared: the first ones, and the latest. */
  readonly before: number
  readonly now: number
  /** Changed share of answers (total variation), and its value by chance; null without answers. */
  readonly labels: { readonly distance: number; readonly byChance: number } | null
}

/** The mean absolute value of a standard normal variable. */
const meanDeviation = Math.sqrt(2 / Math.PI)

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

const sampleOf = (answers: ReadonlyArray<number>): Sample =>
  answers.reduce((sample, answer) => withOne(sample, { answer }), empty)

/** Compares the label shares of two samples of calls, from student and upstream alike; null if a sample has no answers. */
export const labelShift = (before: ReadonlyArray<number>, now: ReadonlyArray<number>): Drift["labels"] =>
  labelsOf(sampleOf(before), sampleOf(now))

/** Null until there are calls enough. */
export const driftOf = ({ current, first, previous }: Samples): Drift | null => {
  const now = joined(previous, current)
  return first.count < sizes.first || now.count < latestMin
    ? null
    : { before: first.count, now: now.count, labels: labelsOf(first, now) }
}
