/** Waiting for what must come: a poll with a deadline, which says what did not come. */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"

const pollMillis = 40

/** Generous: other tests may have the processors. */
export const patienceMillis = 120_000

/**
 * The first answer of `look` that is not undefined. By as much as a pause lasts longer than it should, a busy machine holds up
 * the others too: that does not count.
 */
export const eventually = async <A>(
  what: string,
  look: () => Promise<A | undefined>,
  millis = patienceMillis
): Promise<A> => {
  for (let deadline = performance.now() + millis; performance.now() < deadline; ) {
    const found = await look()
    if (found !== undefined) return found
    const pausedAt = performance.now()
    await sleep(pollMillis)
    deadline += Math.max(0, performance.now() - pausedAt - pollMillis)
  }
  throw new Error(`Waited ${millis} ms in vain: ${what}`)
}
