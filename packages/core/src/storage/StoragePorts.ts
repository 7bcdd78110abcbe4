/** Core's ports, provided by every storage adapter. Each subject with its own data adds its ports to this list. */
import type { Blobs } from "../blobs/Blobs.ts"
import type { EventStore } from "../events/EventStore.ts"
import type { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import type { Queue } from "../queue/Queue.ts"
import type { RateStore } from "../rate/RateStore.ts"
import type { ResourceStore } from "../resources/ResourceStore.ts"
import type { CredentialStore } from "../tokens/CredentialStore.ts"
import type { Storage } from "./Storage.ts"

export type CorePorts =
  | Storage
  | ResourceStore
  | CredentialStore
  | EventStore
  | IdempotencyStore
  | Queue
  | Blobs
  | RateStore
