/** Waiting for what must come: a poll with a deadline, which says what did not come. */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"

const pollMillis = 40

/** Generous: other tests may have the processors. */
export const patienceMillis = 60_000

/** The first answer of `look` that is not undefined. */
export const eventually = async <A>(
  what: string,
  look: () => Promise<A | undefined>,
  millis = patienceMillis
): Promise<A> => {
  for (const deadline = performance.now() + millis; performance.now() < deadline; await sleep(pollMillis)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(`Waited ${millis} ms in vain: ${what}`)
}
