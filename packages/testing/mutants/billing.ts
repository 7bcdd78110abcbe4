/** What is held, charged and refused. */
import type { Mutant } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a run starts whatever the balance is",
    file: "packages/distill/src/run/internal/RunBilling.ts",
    edits: [{ find: "available < heldMicros", replace: "available < 0" }],
    tests: ["--project", "distill", "RunBilling"]
  },
  {
    name: "a run that ends keeps its hold",
    file: "packages/distill/src/run/internal/RunBilling.ts",
    edits: [{ find: "micros: billing.heldMicros, reference }", replace: "micros: 0, reference }" }],
    tests: ["--project", "distill", "RunBilling"]
  },
  {
    name: "a retry is charged what was charged before",
    file: "packages/distill/src/run/internal/RunBilling.ts",
    edits: [{ find: "run.totals.costMicros - before.costMicros", replace: "run.totals.costMicros" }],
    tests: ["--project", "distill", "RunBilling"]
  },
  {
    name: "a call that comes again is charged again",
    file: "packages/capture/src/journal/internal/CallCharges.ts",
    edits: [{ find: "added.has(one.call.id) && isCharged(one)", replace: "isCharged(one)" }],
    tests: ["--project", "capture", "CallCharges"]
  },
  {
    name: "a charge that nothing covers takes the balance below zero",
    file: "packages/billing/src/ledger/LedgerRules.ts",
    edits: [{ find: "enforced ? Math.max(0, costMicros", replace: "enforced ? Math.min(0, costMicros" }],
    tests: ["--project", "billing"]
  },
  {
    name: "what is put aside for one call lets others through",
    file: "packages/billing/src/calls/internal/Lane.ts",
    edits: [{ find: "micros - (this.left - this.reserved)", replace: "micros - this.left" }],
    tests: ["--project", "billing"]
  },
  {
    name: "a hold that was renewed expires",
    file: "packages/billing/src/calls/internal/HoldChanges.ts",
    edits: [{ find: "found.value.expiresAt > now", replace: "found.value.createdAt > now" }],
    tests: ["--project", "billing"]
  }
]
