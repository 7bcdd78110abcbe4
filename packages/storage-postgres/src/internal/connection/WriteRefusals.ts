/** Writes that Postgres refused for its own state: it is read-only, or its disk is full. */
import { isWriteRefusal } from "./PostgresError.ts"

/** A refusal counts for so long; those that wait to write try more often. */
const refusalMillis = 10_000

export class WriteRefusals {
  /** In milliseconds, from anywhere. */
  readonly now: () => number
  #at = Number.NEGATIVE_INFINITY

  constructor(now: () => number) {
    this.now = now
  }

  /** Told of what every statement fails with. */
  hear(error: unknown): void {
    if (isWriteRefusal(error)) this.#at = this.now()
  }

  /** Whether there was one a moment ago. */
  get areRecent(): boolean {
    return this.now() - this.#at < refusalMillis
  }

  /** What was refused before `since` would be taken now. */
  areOver(since: number): void {
    if (this.#at <= since) this.#at = Number.NEGATIVE_INFINITY
  }
}
