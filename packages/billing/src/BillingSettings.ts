/** How balances bind. An assembly sets it once. */
import * as Context from "effect/Context"

export interface Settings {
  /** Whether live runs and managed calls need a balance that covers them; without, they are counted and never refused. */
  readonly enforced: boolean
  /** `billing.balance_low` is published when the balance falls below so many micro-dollars; null: never. */
  readonly balanceLowMicros: number | null
}

export class BillingSettings extends Context.Reference<Settings>("@limbeck/billing/BillingSettings", {
  defaultValue: () => ({ enforced: false, balanceLowMicros: null })
}) {}
