import { assert, describe, it } from "@effect/vitest"
import { renderUsage } from "@limbeck/billing/ledger/LedgerResource"

describe("usage as callers see it", () => {
  it("has no errors of floating point in its quantity", () => {
    const quantity = 0.24012599999999998
    const shown = renderUsage({ date: "2026-11-23", kind: "training", quantity, micros: 240 })
    assert.deepInclude(shown, { quantity: 0.240126, cost_usd: 0.00024 })
  })
})
