/**
 * Every storage port in memory, with real transactions: for trying out, for tests, and as the reference of what the ports
 * promise. What it holds ends with the layer.
 */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { EventStore } from "@limbeck/core/events/EventStore"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { Queue } from "@limbeck/core/queue/Queue"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { HostTransactionError } from "@limbeck/core/storage/HostTransaction"
import { Storage } from "@limbeck/core/storage/Storage"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import { CallStore } from "@limbeck/gateway/capture/CallStore"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Context from "effect/Context"
import { Digest, layerWebCrypto } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BlobsMemory from "./BlobsMemory.ts"
import * as CallStoreMemory from "./CallStoreMemory.ts"
import * as DeliveryStoreMemory from "./DeliveryStoreMemory.ts"
import * as EventStoreMemory from "./EventStoreMemory.ts"
import * as IdempotencyStoreMemory from "./IdempotencyStoreMemory.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as QueueMemory from "./QueueMemory.ts"
import * as RateStoreMemory from "./RateStoreMemory.ts"
import * as ResourceStoreMemory from "./ResourceStoreMemory.ts"
import * as RowStoreMemory from "./RowStoreMemory.ts"
import * as RunRecordsMemory from "./RunRecordsMemory.ts"

export type Ports =
  | Storage
  | ResourceStore
  | CredentialStore
  | EventStore
  | IdempotencyStore
  | Queue
  | Blobs
  | DeliveryStore
  | RowStore
  | RunRecords
  | CallStore
  | RateStore

const noHostTransaction = Effect.suspend(() =>
  Effect.fail(
    new HostTransactionError({
      message:
        "Storage in memory has no part in a transaction of the host's database: use Postgres, or publish without it",
      code: null,
      cause: null
    })
  )
)

const storageOf = (db: MemoryDatabase) =>
  Storage.of({
    transaction: (self) => db.transaction(self),
    afterCommit: (effect) => db.afterCommit(effect),
    inHostTransaction: () => noHostTransaction,
    seesCommit: Effect.succeed(true),
    health: Effect.void
  })

const make = (digest: Digest["Service"]): Context.Context<Ports> => {
  const db = new MemoryDatabase()
  const events = new EventStoreMemory.EventTables()
  const { credentials, resources } = ResourceStoreMemory.makeBoth(db)
  return Context.make(Storage, storageOf(db)).pipe(
    Context.add(ResourceStore, resources),
    Context.add(CredentialStore, credentials),
    Context.add(EventStore, EventStoreMemory.make(db, events)),
    Context.add(IdempotencyStore, IdempotencyStoreMemory.make(db)),
    Context.add(Queue, QueueMemory.make(db)),
    Context.add(Blobs, BlobsMemory.make(db, digest)),
    Context.add(DeliveryStore, DeliveryStoreMemory.make(db, events)),
    Context.add(RowStore, RowStoreMemory.make(db)),
    Context.add(RunRecords, RunRecordsMemory.make(db)),
    Context.add(CallStore, CallStoreMemory.make(db)),
    Context.add(RateStore, RateStoreMemory.make())
  )
}

/** A fresh, empty storage per layer that is built. */
export const layer: Layer.Layer<Ports> = Layer.effectContext(Effect.map(Digest, make)).pipe(
  Layer.provide(layerWebCrypto)
)
