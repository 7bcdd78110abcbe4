/** The balance, entries and usage as callers see them (contract 14.28). */
import * as Money from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Settings } from "../BillingSettings.ts"
import type { Balances, Entry, Usage } from "./Entry.ts"
import { amountOf } from "./LedgerRules.ts"

/** Test mode is never charged, and so never refused. */
export const renderBalance = ({ livemode }: Partition, { available }: Balances, { enforced }: Settings) => ({
  object: "balance" as const,
  balance_usd: Money.toUsd(available),
  enforced: enforced && livemode
})

/** What `billing.balance_low` holds: the balance, with the id of its workspace. */
export const renderLow = (partition: Partition, balances: Balances, settings: Settings) => ({
  id: partition.workspace,
  ...renderBalance(partition, balances, settings),
  status: "low",
  threshold_usd: Money.toUsd(settings.balanceLowMicros ?? 0)
})

export const renderEntry = (entry: Entry) => ({
  id: entry.id,
  object: "ledger_entry" as const,
  amount_usd: Money.toUsd(amountOf(entry)),
  kind: entry.kind,
  reference: entry.reference,
  created_at: toIso(entry.createdAt)
})

/** To the microsecond, as runs show them: sums of fractions have errors far behind that. */
const rounded = (quantity: number): number => Math.round(quantity * 1e6) / 1e6

export const renderUsage = ({ date, kind, micros, quantity }: Usage) => ({
  object: "usage" as const,
  date,
  kind,
  quantity: rounded(quantity),
  cost_usd: Money.toUsd(micros)
})
