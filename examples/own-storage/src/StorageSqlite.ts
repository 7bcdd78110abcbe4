/** A storage in a folder, on the SQLite that Node has built in: all fourteen ports, each in a file of `ports`. */
import { join } from "node:path"
import { LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import type { BillingPorts } from "@limbeck/billing/StoragePorts"
import { CallStore } from "@limbeck/capture/call/CallStore"
import { ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import type { ChatPorts } from "@limbeck/chat/StoragePorts"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { EventStore } from "@limbeck/core/events/EventStore"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { Queue } from "@limbeck/core/queue/Queue"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import type { DistillPorts } from "@limbeck/distill/StoragePorts"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BlobsSqlite from "./ports/Blobs.ts"
import * as Calls from "./ports/Calls.ts"
import * as Conversations from "./ports/Conversations.ts"
import * as Deliveries from "./ports/Deliveries.ts"
import * as Events from "./ports/Events.ts"
import * as Idempotency from "./ports/Idempotency.ts"
import * as Ledger from "./ports/Ledger.ts"
import * as QueueSqlite from "./ports/Queue.ts"
import * as Rates from "./ports/Rates.ts"
import * as Records from "./ports/Records.ts"
import * as Resources from "./ports/Resources.ts"
import * as Rows from "./ports/Rows.ts"
import * as Transactions from "./ports/Transactions.ts"
import { Database } from "./sqlite/Database.ts"
import { rateTables, tables } from "./sqlite/tables.ts"

export type Ports = WebhookPorts | BillingPorts | DistillPorts | ChatPorts

export interface SqliteOptions {
  /** An existing folder on a local disk: `limbeck.db` holds everything but rate limits, which are in `rates.db`. */
  readonly directory: string
}

/** Opens the databases, and creates missing ones. Fails with `StorageError` if opening fails. */
export const layer = ({ directory }: SqliteOptions): Layer.Layer<Ports, StorageError> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const db = yield* Database.open({ file: join(directory, "limbeck.db"), tables, synchronous: "FULL" })
      const rates = yield* Database.open({ file: join(directory, "rates.db"), tables: rateTables, synchronous: "OFF" })
      return Context.make(Storage, Transactions.make(db)).pipe(
        Context.add(ResourceStore, Resources.make(db)),
        Context.add(CredentialStore, Resources.makeCredentials(db)),
        Context.add(EventStore, Events.make(db)),
        Context.add(IdempotencyStore, Idempotency.make(db)),
        Context.add(Queue, QueueSqlite.make(db)),
        Context.add(Blobs, BlobsSqlite.make(db)),
        Context.add(RateStore, Rates.make(rates)),
        Context.add(DeliveryStore, Deliveries.make(db)),
        Context.add(RowStore, Rows.make(db)),
        Context.add(RunRecords, Records.make(db)),
        Context.add(LedgerStore, Ledger.make(db)),
        Context.add(CallStore, Calls.make(db)),
        Context.add(ConversationStore, Conversations.make(db))
      )
    })
  )
