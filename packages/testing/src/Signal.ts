/** Waits for a condition in this process that its owner signals: each change is looked at once, and nothing is polled. */
import { setTimeout as sleep } from "node:timers/promises"
import { patienceMillis } from "./Eventually.ts"

/** Announces changes of state in this process, such as a request that a receiver got. */
export class Signal {
  readonly #looks = new Set<() => void>()

  /** Call after each change of the observed state. */
  readonly ring = (): void => {
    for (const look of [...this.#looks]) look()
  }

  /**
   * Calls `look` now and after each ring until it returns something other than undefined and false, and returns that. Fails after
   * `millis` with a message that names `what`.
   *
   * @example
   * const request = await receiver.changes.until("a delivery", () => receiver.received[0])
   */
  async until<A>(what: string, look: () => A | undefined | false, millis = patienceMillis): Promise<A> {
    const { promise, reject, resolve } = Promise.withResolvers<A>()
    const attempt = () => {
      try {
        const found = look()
        if (found !== undefined && found !== false) resolve(found)
      } catch (error) {
        reject(error)
      }
    }
    const ending = new AbortController()
    const patience = sleep(millis, undefined, { signal: ending.signal }).then(
      () => reject(new Error(`Waited ${millis} ms in vain: ${what}`)),
      () => {} // The wait ended before.
    )
    this.#looks.add(attempt)
    attempt()
    try {
      return await promise
    } finally {
      this.#looks.delete(attempt)
      ending.abort()
      await patience
    }
  }
}
