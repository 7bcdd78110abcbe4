/** Every port that a storage adapter fills. A contract suite is given a layer of all of them, whichever one it is about. */

import { type Vitest, layer as withLayer } from "@effect/vitest"
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { EventStore } from "@limbeck/core/events/EventStore"
import type { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import type { Queue } from "@limbeck/core/queue/Queue"
import type { RateStore } from "@limbeck/core/rate/RateStore"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Storage } from "@limbeck/core/storage/Storage"
import type { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import type { RowStore } from "@limbeck/distill/dataset/RowStore"
import type { RunRecords } from "@limbeck/distill/run/RunRecords"
import type { CallStore } from "@limbeck/gateway/capture/CallStore"
import type { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import type * as Layer from "effect/Layer"

export type AllPorts =
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

/** A layer of a whole storage; it may fail to be built in whatever way. */
export type StorageLayer = Layer.Layer<AllPorts, unknown>

/** Makes a suite. The clock is the real one, because adapters do real work; cases take every time as an argument. */
export const describePort =
  (port: string, cases: (it: Vitest.MethodsNonLive<AllPorts>) => void) =>
  (name: string, layer: StorageLayer): void =>
    withLayer(layer, { timeout: "60 seconds", excludeTestServices: true })(`${port} (${name})`, cases)
