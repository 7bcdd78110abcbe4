/** What a host does about balances in process: no token may top one up (contract 14.10). */
import { BillingSettings } from "@limbeck/billing/BillingSettings"
import * as Ledger from "@limbeck/billing/ledger/Ledger"
import * as LedgerResource from "@limbeck/billing/ledger/LedgerResource"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Events from "@limbeck/core/events/Events"
import { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Workspaces from "@limbeck/core/workspaces/Workspaces"
import * as Crypto from "@limbeck/node/Crypto"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** The ledger of a storage, for a program that serves nothing: no worker runs, and nothing listens. */
export const layer = (
  storage: Layer.Layer<StoragePorts, StorageError>
): Layer.Layer<Ledger.Ledger | Workspaces.Workspaces, StorageError> =>
  Layer.merge(Ledger.layer, Workspaces.layer).pipe(
    // A top-up publishes no event.
    Layer.provide(Layer.provide(Events.layer, Events.Fanout.none)),
    Layer.provide(Ids.layer),
    Layer.provide(storage),
    Layer.provide(Crypto.layer)
  )

const decodeWorkspace = Schema.decodeUnknownEffect(WorkspaceId)

/** The live partition of an existing workspace. */
const liveOf = Effect.fnUntraced(function* (workspace: string) {
  const { id } = yield* (yield* Workspaces.Workspaces).get(yield* decodeWorkspace(workspace))
  return Partition.make(id, true)
})

/** The ledger entry of the top-up, in the API's form. Repeating a reference returns the same entry. */
export const topUp = Effect.fnUntraced(function* (workspace: string, request: Ledger.TopUp) {
  const partition = yield* liveOf(workspace)
  return LedgerResource.renderEntry(yield* (yield* Ledger.Ledger).topUp(partition, request))
})

/** The balance, as `GET /v1/billing/balance` shows it. */
export const balance = Effect.fnUntraced(function* (workspace: string) {
  const partition = yield* liveOf(workspace)
  return LedgerResource.renderBalance(
    partition,
    yield* (yield* Ledger.Ledger).balances(partition),
    yield* BillingSettings
  )
})
