/**
 * Every storage port on one Postgres schema. First migrates the schema to the newest version; servers may share a schema,
 * even while starting.
 */

import { LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import type { BillingPorts } from "@limbeck/billing/StoragePorts"
import { CallStore } from "@limbeck/capture/call/CallStore"
import { ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import type { ChatPorts } from "@limbeck/chat/StoragePorts"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import type { DistillPorts } from "@limbeck/distill/StoragePorts"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CallStorePostgres from "./internal/calls/CallStorePostgres.ts"
import type { Options } from "./internal/connection/Connection.ts"
import * as ConversationStorePostgres from "./internal/conversations/ConversationStorePostgres.ts"
import * as RowStorePostgres from "./internal/datasets/RowStorePostgres.ts"
import * as LedgerStorePostgres from "./internal/ledger/LedgerStorePostgres.ts"
import * as RunRecordsPostgres from "./internal/runs/RunRecordsPostgres.ts"
import * as WebhookStorage from "./WebhookStorage.ts"

export type { Options } from "./internal/connection/Connection.ts"

/** The ports that the layer provides. */
export type Ports = WebhookPorts | BillingPorts | DistillPorts | ChatPorts

const make = Effect.fnUntraced(function* (options: Options) {
  const { ports, sql } = yield* WebhookStorage.connect(options)
  return ports.pipe(
    Context.add(RowStore, RowStorePostgres.make(sql)),
    Context.add(RunRecords, RunRecordsPostgres.make(sql)),
    Context.add(CallStore, CallStorePostgres.make(sql)),
    Context.add(LedgerStore, LedgerStorePostgres.make(sql)),
    Context.add(ConversationStore, ConversationStorePostgres.make(sql))
  )
})

/**
 * Connects, and brings the schema to the newest version. Fails with `StorageError` when the database does not answer, or a newer
 * version has migrated it.
 */
export const layer = (options: Options): Layer.Layer<Ports, StorageError> => Layer.effectContext(make(options))
