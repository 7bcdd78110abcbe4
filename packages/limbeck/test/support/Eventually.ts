/** Waits for what must come, and says what did not. */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"

const pauseMillis = 50

/** What must come, however busy the machine is, comes within this. */
export const patienceMillis = 300_000

/** By as much as a pause lasts longer than it should, a busy machine holds up the others too: that does not count. */
export const eventually = async (
  what: string,
  isSo: () => Promise<boolean> | boolean,
  millis = patienceMillis
): Promise<void> => {
  for (let deadline = performance.now() + millis; performance.now() < deadline; ) {
    if (await isSo()) return
    const pausedAt = performance.now()
    await sleep(pauseMillis)
    deadline += Math.max(0, performance.now() - pausedAt - pauseMillis)
  }
  throw new Error(`Waited ${millis} ms in vain: ${what}`)
}
