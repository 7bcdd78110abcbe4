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
    edits: [{ find: "added.has(one.call.id)", replace: "true" }],
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
  },
  {
    name: "a call that told no usage is free",
    file: "packages/capture/src/call/CostRules.ts",
    edits: [{ find: "record.managed && isUsed(record) && !counted", replace: "false" }],
    tests: ["--project", "capture", "CostRules"]
  },
  {
    name: "a client that leaves its answer pays nothing",
    file: "packages/capture/src/call/CostRules.ts",
    edits: [{ find: 'outcome === "aborted" && statusCode', replace: "false && statusCode" }],
    tests: ["--project", "capture", "CostRules"]
  },
  {
    name: "an answer of the sandbox is free",
    file: "packages/capture/src/tape/Capture.ts",
    edits: [{ find: "isCharged(partition, by.source) || (isCaptured &&", replace: "isCaptured && (" }],
    tests: ["--project", "server", "managed-charges", "-t", "sandbox"]
  },
  {
    name: "a judge's score is free",
    file: "packages/capture/src/source/internal/ChargedFetch.ts",
    edits: [{ find: "if (!holds.binds(partition)) return", replace: "if (holds.binds(partition)) return" }],
    tests: ["--project", "server", "managed-charges", "-t", "judge"]
  },
  {
    name: "the hold takes the first of two limits",
    file: "packages/capture/src/source/RequestRules.ts",
    edits: [{ find: "Math.max(largest ?? 0, count)", replace: "largest ?? count" }],
    tests: ["--project", "capture", "CallEstimate"]
  },
  {
    name: "a request that names a limit twice is let through",
    file: "packages/capture/src/source/RequestRules.ts",
    edits: [{ find: "members.has(own)", replace: 'members.has("")' }],
    tests: ["--project", "capture", "CallEstimate"]
  },
  {
    name: "a name in another case is no limit",
    file: "packages/capture/src/source/RequestRules.ts",
    edits: [{ find: "names.has(foldCase(name))", replace: "names.has(name)" }],
    tests: ["--project", "capture", "CallEstimate"]
  },
  {
    name: "a workspace sets the prices of its managed sources",
    file: "packages/capture/src/source/internal/PatchedSource.ts",
    edits: [{ find: "!setsPrices &&", replace: "setsPrices &&" }],
    tests: ["--project", "server", "managed-charges", "-t", "prices"]
  },
  {
    name: "a charge without a captured call is posted again",
    file: "packages/billing/src/calls/CallHolds.ts",
    edits: [{ find: "isCharged ? Effect.void : charge(", replace: "isCharged === null ? Effect.void : charge(" }],
    tests: ["--project", "capture", "CallCharges"]
  }
]
