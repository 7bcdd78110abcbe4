/** Writes that Postgres refused for its own state: read-only mode or a full disk. */
import { isWriteRefusal } from "./PostgresError.ts"

/** How long a refusal counts; waiting writers retry more often. */
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

  /** Forgets refusals up to `since`: the state behind them has ended. */
  areOver(since: number): void {
    if (this.#at <= since) this.#at = Number.NEGATIVE_INFINITY
  }
}
