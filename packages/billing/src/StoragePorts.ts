/** What a storage adapter provides for billing. */
import type { LedgerStore } from "./ledger/LedgerStore.ts"

export type BillingPorts = LedgerStore
