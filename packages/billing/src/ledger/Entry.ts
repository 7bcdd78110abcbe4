/**
 * An entry of the ledger: an amount that moves from one account of a workspace to another, and what caused it. It is never
 * changed once it is written.
 *
 *     funding ── top_up, write_off ──▶ available ── managed_calls, training, judging ──▶ spent
 *                                       │     ▲
 *                                     hold  release
 *                                       ▼     │
 *                                        held
 *
 * Every entry touches `available`, which is the balance: so the amounts of all entries, with their signs, sum to it.
 */
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const EntryId = Id.schema("led")
export type EntryId = typeof EntryId.Type

export const Account = Schema.Literals(["funding", "available", "held", "spent"])
export type Account = typeof Account.Type

/** What is charged to the balance, by what used it. */
const ChargeKind = Schema.Literals(["managed_calls", "training", "judging"])

/** `write_off`: what was used beyond the balance where the balance binds, and is not asked for. */
export const EntryKind = Schema.Literals(["top_up", "hold", "release", "write_off", ...ChargeKind.literals])
export type EntryKind = typeof EntryKind.Type

/** Whole micro-dollars, above 0. */
const Micros = Schema.Int.check(Schema.isGreaterThan(0))

/** What is to be posted. A `kind` has one entry of a `reference` at most: a cause posts once. */
export interface Posting {
  readonly kind: EntryKind
  readonly micros: number
  readonly reference: string
}

export const Entry = Schema.Struct({
  id: EntryId,
  kind: EntryKind,
  from: Account,
  to: Account,
  micros: Micros,
  /** A run, a batch of calls, a top-up; see docs/billing.md. */
  reference: Schema.String,
  createdAt: Millis
})
export type Entry = typeof Entry.Type

/** What each account holds, in whole micro-dollars; they sum to zero. `funding` is what was brought in, below zero. */
export type Balances = Readonly<Record<Account, number>>

export const empty: Balances = { funding: 0, available: 0, held: 0, spent: 0 }

/** `captured_calls` cost nothing as such: `CallStore.append` counts all calls of the day, those that are charged too. */
const UsageKind = Schema.Literals([...ChargeKind.literals, "captured_calls"])

/** What was used on a day (UTC) of one kind, and what it cost. */
export const Usage = Schema.Struct({
  /** Such as `2026-11-22`. */
  date: Schema.String,
  kind: UsageKind,
  /** Calls; of training, seconds of the machine; of judging, tokens. */
  quantity: Schema.Finite,
  micros: Schema.Int
})
export type Usage = typeof Usage.Type

/** Usage of what is charged. */
export interface ChargedUsage extends Usage {
  readonly kind: typeof ChargeKind.Type
}

/** What is to be posted, and the usage that it is for. */
export interface Postings {
  readonly postings: ReadonlyArray<Posting>
  readonly usage?: ReadonlyArray<ChargedUsage>
}
