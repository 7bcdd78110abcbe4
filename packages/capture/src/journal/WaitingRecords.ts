/** Wakes a caller that waits for a number of records. */
import * as Effect from "effect/Effect"

interface Waiter {
  readonly from: number
  readonly wake: () => void
}

export class WaitingRecords {
  #count = 0
  #waiters: Array<Waiter> = []

  get count(): number {
    return this.#count
  }

  add(records: number): void {
    this.#count += records
    if (this.#waiters.length === 0) return
    const ready = this.#waiters.filter(({ from }) => from <= this.#count)
    if (ready.length === 0) return
    this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter))
    for (const { wake } of ready) wake()
  }

  remove(records: number): void {
    this.#count -= records
  }

  awaitCount(records: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#count >= records) return resume(Effect.void)
      const waiter = { from: records, wake: () => resume(Effect.void) }
      this.#waiters.push(waiter)
      return Effect.sync(() => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
      })
    })
  }
}
