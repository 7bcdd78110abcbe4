/**
 * An entry of the ledger: an amount that moves between two accounts of a workspace, with its cause. Entries are immutable.
 *
 *     funding ── top_up, write_off ──▶ available ── managed_calls, training, judging ──▶ spent
 *                                       │     ▲
 *                                     hold  release
 *                                       ▼     │
 *                                        held
 *
 * Every entry touches `available`, the balance: the signed amounts of all entries sum to the balance.
 */
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const EntryId = Id.schema("led")
export type EntryId = typeof EntryId.Type

export const Account = Schema.Literals(["funding", "available", "held", "spent"])
export type Account = typeof Account.Type

/** Charges to the balance, by kind of use. */
const ChargeKind = Schema.Literals(["managed_calls", "training", "judging"])

/** `write_off`: use beyond a binding balance, never collected. */
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

/**
 * The amount on each account, in whole micro-dollars; together they are zero. `funding` holds the payments, as a negative
 * amount.
 */
export type Balances = Readonly<Record<Account, number>>

export const empty: Balances = { funding: 0, available: 0, held: 0, spent: 0 }

/** `captured_calls` are free: `CallStore.append` counts all calls of the day, charged or not. */
const UsageKind = Schema.Literals([...ChargeKind.literals, "captured_calls"])

/** Use of one kind on one day (UTC), with its cost. */
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

/** Entries to post, with their usage. */
export interface Postings {
  readonly postings: ReadonlyArray<Posting>
  readonly usage?: ReadonlyArray<ChargedUsage>
}
