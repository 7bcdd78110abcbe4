/** What clients were told: what was acknowledged, what was refused, and how long they had to wait. */

const kinds = [
  "call",
  "run",
  "dataset",
  "upload",
  "version",
  "question",
  "feedback",
  "change",
  "read",
  "health"
] as const
export type Kind = (typeof kinds)[number]

export class Account {
  /** What the client knows that the server has, as the client calls it. */
  readonly acknowledged: Array<string> = []
  /** Tries that were answered with no 2xx, by status; `none`: no answer came. */
  readonly failures = new Map<string, number>()
  attempts = 0
  /** From the first try of an operation to its acknowledgement, at the most. */
  longestMillis = 0

  tried(status: string | null): void {
    this.attempts += 1
    if (status !== null) this.failures.set(status, (this.failures.get(status) ?? 0) + 1)
  }
}

export type Ledger = Readonly<Record<Kind, Account>>

// It has every kind, which the type of entries does not say.
export const make = (): Ledger => Object.fromEntries(kinds.map((kind) => [kind, new Account()])) as Ledger
