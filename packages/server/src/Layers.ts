/** The services of the whole server over any storage, and the workers that drive them. */
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { EventType } from "@limbeck/core/events/Event"
import type { EventStore } from "@limbeck/core/events/EventStore"
import * as Events from "@limbeck/core/events/Events"
import { platformEventTypes } from "@limbeck/core/events/PlatformEvents"
import type { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import * as IdempotentWrites from "@limbeck/core/idempotency/IdempotentWrites"
import * as Ids from "@limbeck/core/ids/Ids"
import type { Queue } from "@limbeck/core/queue/Queue"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import type { Storage } from "@limbeck/core/storage/Storage"
import * as Authentication from "@limbeck/core/tokens/Authentication"
import type { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import * as Tokens from "@limbeck/core/tokens/Tokens"
import * as Workspaces from "@limbeck/core/workspaces/Workspaces"
import { distillEventTypes } from "@limbeck/distill/DistillEvents"
import * as Datasets from "@limbeck/distill/dataset/Datasets"
import type { RowStore } from "@limbeck/distill/dataset/RowStore"
import * as VersionBuilder from "@limbeck/distill/dataset/VersionBuilder"
import * as Catalog from "@limbeck/distill/recipe/Catalog"
import * as Proposals from "@limbeck/distill/recipe/Proposals"
import type { RunRecords } from "@limbeck/distill/run/RunRecords"
import * as RunScheduler from "@limbeck/distill/run/RunScheduler"
import * as Runs from "@limbeck/distill/run/Runs"
import * as Uploads from "@limbeck/distill/upload/Uploads"
import * as UploadWorker from "@limbeck/distill/upload/UploadWorker"
import * as Deliveries from "@limbeck/webhooks/delivery/Deliveries"
import * as DeliveryDispatcher from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import type { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as WebhookFanout from "@limbeck/webhooks/delivery/WebhookFanout"
import * as AutoDisable from "@limbeck/webhooks/endpoint/AutoDisable"
import * as Endpoints from "@limbeck/webhooks/endpoint/Endpoints"
import * as Pings from "@limbeck/webhooks/endpoint/Pings"
import * as Recoveries from "@limbeck/webhooks/recovery/Recoveries"
import * as RecoveryWorker from "@limbeck/webhooks/recovery/RecoveryWorker"
import { webhookEventTypes } from "@limbeck/webhooks/WebhookEvents"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WorkerCount } from "./handlers/SystemRoutes.ts"
import * as RateLimiter from "./http/RateLimiter.ts"
import * as IdempotencySweeper from "./IdempotencySweeper.ts"
import { ServerSettings } from "./Settings.ts"

/** Everything a storage adapter provides. */
export type StoragePorts =
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

export const eventTypes: ReadonlyArray<EventType> = [...distillEventTypes, ...webhookEventTypes, ...platformEventTypes]

/** The services that handlers and workers share. `hostEventTypes`: types that the embedding host adds. */
export const services = (hostEventTypes: ReadonlyArray<EventType> = []) =>
  Layer.mergeAll(
    Authentication.layer,
    Tokens.layer,
    Workspaces.layer,
    IdempotentWrites.layer,
    Uploads.layer,
    Datasets.layer,
    Proposals.layer,
    Runs.layer,
    Layer.provideMerge(Pings.layer, Endpoints.layer),
    Deliveries.layer,
    Recoveries.layer,
    RateLimiter.layer
  ).pipe(
    Layer.provideMerge(Events.layer),
    Layer.provideMerge(WebhookFanout.layer),
    Layer.provideMerge(
      Layer.mergeAll(Ids.layer, Catalog.layer(), Events.EventCatalog.layer([...eventTypes, ...hostEventTypes]))
    )
  )

const autoDisable = Layer.unwrap(
  Effect.map(ServerSettings, ({ webhookDisableAfterDays: days }) =>
    days === null ? Layer.empty : AutoDisable.layer(days)
  )
)

/** Starts the workers of this process; they stop, and hand back what they hold, when the layer closes. */
export const workers = Layer.effectDiscard(
  Effect.gen(function* () {
    const loops = [
      (yield* DeliveryDispatcher.DeliveryDispatcher).forever,
      (yield* RecoveryWorker.RecoveryWorker).forever,
      (yield* UploadWorker.UploadWorker).forever,
      (yield* VersionBuilder.VersionBuilder).forever,
      (yield* RunScheduler.RunScheduler).forever,
      yield* IdempotencySweeper.make
    ]
    yield* Effect.forEach(loops, (loop) => Effect.forkScoped(loop), { discard: true })
  })
).pipe(
  Layer.provide([
    Layer.provide(DeliveryDispatcher.layer, autoDisable),
    RecoveryWorker.layer,
    UploadWorker.layer,
    VersionBuilder.layer,
    RunScheduler.layer
  ])
)

/** What `/healthz` says of a process that runs `workers`. */
export const workerCount = Layer.succeed(WorkerCount, { current: () => 6 })

/** The services stand on these. */
export type Needs = StoragePorts | Secrets
