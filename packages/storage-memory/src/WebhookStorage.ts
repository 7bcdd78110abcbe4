/**
 * The storage ports of the webhook engine alone, in memory; `StorageMemory` adds those of the other subjects. What it holds ends with the
 * layer.
 */

import { Blobs } from "@limbeck/core/blobs/Blobs"
import { EventStore } from "@limbeck/core/events/EventStore"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { Queue } from "@limbeck/core/queue/Queue"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Context from "effect/Context"
import { Digest, layerWebCrypto } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BlobsMemory from "./internal/blobs/BlobsMemory.ts"
import * as HostTransactions from "./internal/database/HostTransactions.ts"
import { MemoryDatabase } from "./internal/database/MemoryDatabase.ts"
import * as DeliveryStoreMemory from "./internal/deliveries/DeliveryStoreMemory.ts"
import * as EventStoreMemory from "./internal/events/EventStoreMemory.ts"
import * as IdempotencyStoreMemory from "./internal/idempotency/IdempotencyStoreMemory.ts"
import * as QueueMemory from "./internal/queue/QueueMemory.ts"
import * as RateStoreMemory from "./internal/rate/RateStoreMemory.ts"
import * as ResourceStoreMemory from "./internal/resources/ResourceStoreMemory.ts"

const storageOf = (db: MemoryDatabase) =>
  Storage.of({
    transaction: (self) => db.transaction(self),
    afterCommit: (effect) => db.afterCommit(effect),
    inHostTransaction: (client, self) => HostTransactions.join(db, client, self),
    seesCommit: db.seesCommit,
    health: Effect.succeed("ok")
  })

/** An empty database, with the ports that every assembly has. */
export const make = (digest: Digest["Service"]) => {
  const db = new MemoryDatabase()
  const events = new EventStoreMemory.EventTables()
  const { credentials, resources } = ResourceStoreMemory.makeBoth(db)
  const ports: Context.Context<WebhookPorts> = Context.make(Storage, storageOf(db)).pipe(
    Context.add(ResourceStore, resources),
    Context.add(CredentialStore, credentials),
    Context.add(EventStore, EventStoreMemory.make(db, events)),
    Context.add(IdempotencyStore, IdempotencyStoreMemory.make(db)),
    Context.add(Queue, QueueMemory.make(db)),
    Context.add(Blobs, BlobsMemory.make(db, digest)),
    Context.add(DeliveryStore, DeliveryStoreMemory.make(db, events)),
    Context.add(RateStore, RateStoreMemory.make())
  )
  return { db, ports }
}

/** Each build of the layer has fresh, empty storage. */
export const layer: Layer.Layer<WebhookPorts> = Layer.effectContext(
  Effect.map(Digest, (digest) => make(digest).ports)
).pipe(Layer.provide(layerWebCrypto))
