/** The routes of billing (contract 14.28). */
import { BillingApi } from "@limbeck/api/BillingApi"
import { BillingSettings } from "@limbeck/billing/BillingSettings"
import { Ledger } from "@limbeck/billing/ledger/Ledger"
import * as LedgerResource from "@limbeck/billing/ledger/LedgerResource"
import { usageKey } from "@limbeck/billing/ledger/LedgerRules"
import * as Page from "@limbeck/core/pages/Page"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

export const make: Effect.Effect<Handlers<typeof BillingApi>, never, Ledger> = Effect.gen(function* () {
  const ledger = yield* Ledger
  const settings = yield* BillingSettings

  return handlersOf(BillingApi)({
    balance: ({ caller: { partition } }) =>
      Effect.map(ledger.balances(partition), (balances) => LedgerResource.renderBalance(partition, balances, settings)),
    ledger: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "ledger", query },
        (request) => ledger.page(partition, request),
        Arr.map(LedgerResource.renderEntry)
      ),
    // A row of usage has no id; its day and kind are its place in the list.
    usage: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "usage", query },
        (request) =>
          Effect.map(ledger.usage(partition, request), (page) =>
            Page.map(page, (row) => ({ ...row, id: usageKey(row) }))
          ),
        Arr.map(LedgerResource.renderUsage)
      )
  })
})
