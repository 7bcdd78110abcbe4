/** Waits for what must come, and says what did not. */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"

export const eventually = async (
  what: string,
  isSo: () => Promise<boolean> | boolean,
  millis: number
): Promise<void> => {
  for (const deadline = performance.now() + millis; performance.now() < deadline; await sleep(50)) {
    if (await isSo()) return
  }
  throw new Error(`Waited ${millis} ms in vain: ${what}`)
}
