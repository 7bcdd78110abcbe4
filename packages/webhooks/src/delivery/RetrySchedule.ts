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

/** When the next attempt is due after `attempts` of the cycle; null when none is left. */
export const nextDueAt = (
  schedule: RetrySchedule,
  cycle: { readonly startedAt: Millis; readonly attempts: number; readonly endedAt: Millis }
): Millis | null => {
  const offset = schedule.offsetsSeconds[cycle.attempts]
  return offset === undefined ? null : Math.max(cycle.startedAt + offset * 1000, cycle.endedAt)
}
