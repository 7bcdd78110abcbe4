/**
 * When attempts are due: offsets from the start of the cycle's first attempt, and never before the attempt before has
 * ended (service-api 6.4, contract 8).
 */
import type { Millis } from "@limbeck/core/time/Timestamp"

export interface RetrySchedule {
  /** Seconds after the first attempt's start; the first is 0. Their number is the number of attempts. */
  readonly offsetsSeconds: ReadonlyArray<number>
}

export const standard: RetrySchedule = { offsetsSeconds: [0, 5, 30, 120, 600, 1800] }

/** More attempts than this are a mistake in the schedule. */
const attemptsMax = 20

/** What is wrong with a schedule; null when nothing is. */
export const mistakeIn = ({ offsetsSeconds }: RetrySchedule): string | null => {
  const { length } = offsetsSeconds
  if (length === 0 || length > attemptsMax) return `has 1 to ${attemptsMax} offsets`
  if (!offsetsSeconds.every(Number.isFinite)) return "is in seconds, as numbers"
  if (offsetsSeconds[0] !== 0) return "begins with 0: the first attempt is made at once"
  const isAscending = offsetsSeconds.every((offset, index) => index === 0 || offset > offsetsSeconds[index - 1]!)
  return isAscending ? null : "counts from the first attempt, so each offset is greater than the one before"
}

/** When the next attempt is due after `attempts` of the cycle; null when none is left. */
export const nextDueAt = (
  schedule: RetrySchedule,
  cycle: { readonly startedAt: Millis; readonly attempts: number; readonly endedAt: Millis }
): Millis | null => {
  const offset = schedule.offsetsSeconds[cycle.attempts]
  return offset === undefined ? null : Math.max(cycle.startedAt + Math.round(offset * 1000), cycle.endedAt)
}
