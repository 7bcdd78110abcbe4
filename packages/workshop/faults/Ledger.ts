/** The clients' record: acknowledged operations, refusals, and waiting times. */

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
  /** The identifiers that clients know the server has. */
  readonly acknowledged: Array<string> = []
  /** Responses other than 2xx, by status; `none`: no response. */
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

// Has every kind, which the type of `fromEntries` does not show.
export const make = (): Ledger => Object.fromEntries(kinds.map((kind) => [kind, new Account()])) as Ledger
