/** Waits for a condition: a poll with a deadline that names the missing condition. */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"

const pollMillis = 40

/** A wait without an end is found after this time; other tests may use the processors meanwhile. */
export const patienceMillis = 300_000

/**
 * Calls `look` until it returns something other than undefined and false, and returns that. Fails after `millis` with a message
 * that names `what`. Time for which a busy machine held this process up does not count.
 *
 * @example
 * const run = await eventually("the run is over", async () => {
 *   const found = await api.run(id)
 *   return isOver(found) && found
 * })
 */
export const eventually = async <A>(
  what: string,
  look: () => Promise<A | undefined | false> | A | undefined | false,
  millis = patienceMillis
): Promise<A> => {
  for (let deadline = performance.now() + millis; performance.now() < deadline; ) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    const pausedAt = performance.now()
    await sleep(pollMillis)
    deadline += Math.max(0, performance.now() - pausedAt - pollMillis)
  }
  throw new Error(`Waited ${millis} ms in vain: ${what}`)
}
