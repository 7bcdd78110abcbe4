/**
 * Deadlines of attempts. All attempts have the same limit, so they end in starting order, and one sleeper that waits for
 * the oldest serves all: one timer per attempt would be set and cleared thousands of times a second.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

interface Deadline {
  readonly atNanos: bigint
  readonly expire: () => void
}

export class Deadlines {
  readonly #clock: Clock.Clock
  readonly #nanos: bigint
  /** Oldest first. */
  readonly #waiting = new Set<Deadline>()
  #sleeper: Fiber.Fiber<void> | undefined

  constructor(clock: Clock.Clock, millis: number) {
    this.#clock = clock
    this.#nanos = BigInt(Math.round(millis * 1e6))
  }

  /** Calls `expire` after the time of an attempt, unless the returned function is called before. */
  begin(expire: () => void): () => void {
    const deadline = { atNanos: this.#clock.monotonicTimeNanosUnsafe() + this.#nanos, expire }
    this.#waiting.add(deadline)
    this.#sleeper ??= Effect.runFork(this.#watch)
    return () => this.#waiting.delete(deadline)
  }

  stop(): void {
    this.#sleeper?.interruptUnsafe()
  }

  readonly #watch = Effect.gen({ self: this }, function* () {
    for (let [oldest] = this.#waiting; oldest !== undefined; [oldest] = this.#waiting) {
      const leftNanos = Number(oldest.atNanos - this.#clock.monotonicTimeNanosUnsafe())
      yield* this.#clock.sleep(Duration.millis(Math.ceil(leftNanos / 1e6)))
      this.#expireDue()
    }
    this.#sleeper = undefined
  })

  /** All at once: a sleep for each, even of no time, takes a turn of the event loop, and hundreds may end together. */
  #expireDue(): void {
    const now = this.#clock.monotonicTimeNanosUnsafe()
    for (const deadline of this.#waiting) {
      if (deadline.atNanos > now) return
      this.#waiting.delete(deadline)
      deadline.expire()
    }
  }
}
