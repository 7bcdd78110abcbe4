/** The balance, entries and usage as callers see them (contract 14.28). */
import * as Money from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { Settings } from "../BillingSettings.ts"
import type { Balances, Entry, Usage } from "./Entry.ts"
import { amountOf } from "./LedgerRules.ts"

/** US dollars, with at most 6 decimals. */
const Usd = Schema.Finite

export const BalanceResource = Schema.Struct({
  object: Schema.Literal("balance"),
  /** What can be spent: what is held for runs and calls under way is not in it. */
  balance_usd: Usd,
  /** Whether live runs and managed calls need it. */
  enforced: Schema.Boolean
}).annotate({ identifier: "Balance" })

/** What `billing.balance_low` holds: the balance, with the id of its workspace. */
export const BalanceLowResource = Schema.Struct({
  id: idOf("ws"),
  ...BalanceResource.fields,
  status: Schema.Literal("low"),
  threshold_usd: Usd
}).annotate({ identifier: "BalanceLow" })

export const LedgerEntryResource = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("ledger_entry"),
  /** What it does to the balance: the amounts of all entries sum to it. */
  amount_usd: Usd,
  kind: Schema.String,
  reference: Schema.String,
  created_at: Timestamp
}).annotate({ identifier: "LedgerEntry" })

export const UsageResource = Schema.Struct({
  object: Schema.Literal("usage"),
  /** A day in UTC: `2026-11-22`. */
  date: Schema.String,
  kind: Schema.String,
  /** Calls, charged (`managed_calls`) and all (`captured_calls`); of training, seconds of the machine; of judging, tokens. */
  quantity: Schema.Finite,
  cost_usd: Usd
}).annotate({ identifier: "Usage" })

/** Test mode is never charged, and so never refused. */
export const renderBalance = Rendered.by(
  BalanceResource,
  ({ livemode }: Partition, { available }: Balances, { enforced }: Settings) => ({
    object: "balance",
    balance_usd: Money.toUsd(available),
    enforced: enforced && livemode
  })
)

export const renderLow = Rendered.by(
  BalanceLowResource,
  (partition: Partition, balances: Balances, settings: Settings) => ({
    id: partition.workspace,
    ...renderBalance(partition, balances, settings),
    status: "low",
    threshold_usd: Money.toUsd(settings.balanceLowMicros ?? 0)
  })
)

export const renderEntry = Rendered.by(LedgerEntryResource, (entry: Entry) => ({
  id: entry.id,
  object: "ledger_entry",
  amount_usd: Money.toUsd(amountOf(entry)),
  kind: entry.kind,
  reference: entry.reference,
  created_at: toIso(entry.createdAt)
}))

/** To the microsecond, as runs show seconds: the rounding errors of sums are far smaller. */
const rounded = (quantity: number): number => Math.round(quantity * 1e6) / 1e6

export const renderUsage = Rendered.by(UsageResource, ({ date, kind, micros, quantity }: Usage) => ({
  object: "usage",
  date,
  kind,
  quantity: rounded(quantity),
  cost_usd: Money.toUsd(micros)
}))
