/**
 * Passes over sources that keep failing: after 5 failures in a row a source with fallbacks is not asked for 10 s (contract 16.8).
 * The state is that of this process, and starts closed.
 */
import type { Source } from "@limbeck/capture/source/Source"
import { ServingLimits } from "../../Limits.ts"

interface Breaker {
  failures: number
  openUntil: number
}

export interface Breakers {
  /** Whether the source is to be asked now. One without fallbacks always is. */
  readonly isClosed: (source: Source, now: number) => boolean
  readonly recordFailure: (source: Source, now: number) => void
  readonly recordSuccess: (source: Source) => void
}

export const make = (): Breakers => {
  /** Sources that failed last time, the one that failed first in front. */
  const breakers = new Map<string, Breaker>()

  const recordFailure = ({ id }: Source, now: number): void => {
    const breaker = breakers.get(id) ?? { failures: 0, openUntil: 0 }
    breaker.failures++
    if (breaker.failures >= ServingLimits.breakerFailures) breaker.openUntil = now + ServingLimits.breakerMillis
    breakers.set(id, breaker)
    const [oldest] = breakers.keys()
    if (oldest !== undefined && breakers.size > ServingLimits.breakersMax) breakers.delete(oldest)
  }

  return {
    isClosed: ({ fallbacks, id }, now) => fallbacks.length === 0 || (breakers.get(id)?.openUntil ?? 0) <= now,
    recordFailure,
    recordSuccess: ({ id }) => void breakers.delete(id)
  }
}
