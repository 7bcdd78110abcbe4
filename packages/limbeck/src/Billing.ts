/** What a host does about balances in process: no token may top one up (contract 14.10). */
import { BillingSettings } from "@limbeck/billing/BillingSettings"
import { Ledger, type TopUp } from "@limbeck/billing/ledger/Ledger"
import * as LedgerResource from "@limbeck/billing/ledger/LedgerResource"
import { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const decodeWorkspace = Schema.decodeUnknownEffect(WorkspaceId)

/** The live partition of a workspace that exists. */
const liveOf = Effect.fnUntraced(function* (workspace: string) {
  const { id } = yield* (yield* Workspaces).get(yield* decodeWorkspace(workspace))
  return Partition.make(id, true)
})

/** The ledger entry of the top-up, as the API shows it. The same reference again returns the same entry. */
export const topUp = Effect.fnUntraced(function* (workspace: string, request: TopUp) {
  const partition = yield* liveOf(workspace)
  return LedgerResource.renderEntry(yield* (yield* Ledger).topUp(partition, request))
})

/** The balance, as `GET /v1/billing/balance` shows it. */
export const balance = Effect.fnUntraced(function* (workspace: string) {
  const partition = yield* liveOf(workspace)
  return LedgerResource.renderBalance(partition, yield* (yield* Ledger).balances(partition), yield* BillingSettings)
})
