/**
 * Every storage port in memory, with real transactions: for trials and tests, and as the reference for the ports' promises.
 * The data lives as long as the layer.
 */

import { LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import type { BillingPorts } from "@limbeck/billing/StoragePorts"
import { CallStore } from "@limbeck/capture/call/CallStore"
import { ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import type { ChatPorts } from "@limbeck/chat/StoragePorts"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import type { DistillPorts } from "@limbeck/distill/StoragePorts"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Context from "effect/Context"
import { Digest, layerWebCrypto } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CallStoreMemory from "./internal/calls/CallStoreMemory.ts"
import * as ConversationStoreMemory from "./internal/conversations/ConversationStoreMemory.ts"
import * as RowStoreMemory from "./internal/datasets/RowStoreMemory.ts"
import * as LedgerStoreMemory from "./internal/ledger/LedgerStoreMemory.ts"
import { UsageTables } from "./internal/ledger/UsageTables.ts"
import * as RunRecordsMemory from "./internal/runs/RunRecordsMemory.ts"
import * as WebhookStorage from "./WebhookStorage.ts"

/** The ports that the layer provides. */
export type Ports = WebhookPorts | BillingPorts | DistillPorts | ChatPorts

const make = (digest: Digest["Service"]): Context.Context<Ports> => {
  const { db, ports } = WebhookStorage.make(digest)
  const used = new UsageTables()
  return ports.pipe(
    Context.add(RowStore, RowStoreMemory.make(db)),
    Context.add(RunRecords, RunRecordsMemory.make(db)),
    Context.add(CallStore, CallStoreMemory.make(db, used)),
    Context.add(LedgerStore, LedgerStoreMemory.make(db, used)),
    Context.add(ConversationStore, ConversationStoreMemory.make(db))
  )
}

/** Each build of the layer has fresh, empty storage. */
export const layer: Layer.Layer<Ports> = Layer.effectContext(Effect.map(Digest, make)).pipe(
  Layer.provide(layerWebCrypto)
)
