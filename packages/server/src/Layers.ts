/** The services of the whole server over any storage, and the workers that drive them. */
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { EventType } from "@limbeck/core/events/Event"
import type { EventStore } from "@limbeck/core/events/EventStore"
import { platformEventTypes } from "@limbeck/core/events/PlatformEvents"
import type { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import type { Queue } from "@limbeck/core/queue/Queue"
import type { RateStore } from "@limbeck/core/rate/RateStore"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import type { Storage } from "@limbeck/core/storage/Storage"
import type { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import * as Connectors from "@limbeck/distill/connector/Connectors"
import { distillEventTypes } from "@limbeck/distill/DistillEvents"
import * as Datasets from "@limbeck/distill/dataset/Datasets"
import type { RowStore } from "@limbeck/distill/dataset/RowStore"
import * as VersionBuilder from "@limbeck/distill/dataset/VersionBuilder"
import * as Loops from "@limbeck/distill/loop/Loops"
import * as Pulls from "@limbeck/distill/pull/Pulls"
import * as PullWorker from "@limbeck/distill/pull/PullWorker"
import * as Catalog from "@limbeck/distill/recipe/Catalog"
import * as Proposals from "@limbeck/distill/recipe/Proposals"
import * as Shares from "@limbeck/distill/report/Shares"
import * as BlobRetention from "@limbeck/distill/retention/BlobRetention"
import * as Rewards from "@limbeck/distill/reward/Rewards"
import type { RunRecords } from "@limbeck/distill/run/RunRecords"
import * as RunScheduler from "@limbeck/distill/run/RunScheduler"
import * as Runs from "@limbeck/distill/run/Runs"
import * as Uploads from "@limbeck/distill/upload/Uploads"
import * as UploadWorker from "@limbeck/distill/upload/UploadWorker"
import type { CallStore } from "@limbeck/gateway/capture/CallStore"
import * as DeploymentWorker from "@limbeck/gateway/deployment/DeploymentWorker"
import type { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { webhookEventTypes } from "@limbeck/webhooks/WebhookEvents"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CallSweeper from "./CallSweeper.ts"
import * as GatewayLayers from "./GatewayLayers.ts"
import { WorkerCount } from "./handlers/SystemRoutes.ts"
import { ServerSettings } from "./Settings.ts"
import * as WebhookLayers from "./WebhookLayers.ts"

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
  | CallStore
  | RateStore

export const eventTypes: ReadonlyArray<EventType> = [...distillEventTypes, ...webhookEventTypes, ...platformEventTypes]

const rewards = Layer.unwrap(Effect.map(ServerSettings, ({ brand }) => Rewards.layerWith({ brand })))

/** The services that handlers and workers share. `hostEventTypes`: types that the embedding host adds. */
export const services = <E = never>(
  hostEventTypes: ReadonlyArray<EventType> = [],
  catalog: Layer.Layer<Catalog.Catalog, E> = Catalog.layer()
) =>
  Layer.mergeAll(
    Loops.layer,
    Uploads.layer,
    Connectors.layer,
    Pulls.layer,
    Datasets.layer,
    rewards,
    Proposals.layer,
    Runs.layer,
    Shares.layer
  ).pipe(
    Layer.provideMerge(GatewayLayers.services),
    Layer.provideMerge(catalog),
    Layer.provideMerge(WebhookLayers.services(hostEventTypes, eventTypes))
  )

const blobRetention = Layer.unwrap(
  Effect.map(ServerSettings, ({ uploadRetentionDays }) => BlobRetention.layer({ uploadDays: uploadRetentionDays }))
)

const loops = [
  Effect.map(UploadWorker.UploadWorker, ({ forever }) => forever),
  Effect.map(PullWorker.PullWorker, ({ forever }) => forever),
  Effect.map(VersionBuilder.VersionBuilder, ({ forever }) => forever),
  Effect.map(RunScheduler.RunScheduler, ({ forever }) => forever),
  Effect.map(DeploymentWorker.DeploymentWorker, ({ forever }) => forever),
  Effect.map(BlobRetention.BlobRetention, ({ forever }) => forever),
  CallSweeper.make
]

const ownWorkers = Layer.effectDiscard(
  Effect.gen(function* () {
    for (const loop of loops) yield* Effect.forkScoped(yield* loop)
  })
).pipe(
  Layer.provide([
    UploadWorker.layer,
    PullWorker.layer,
    VersionBuilder.layer,
    RunScheduler.layer,
    DeploymentWorker.layer,
    blobRetention
  ])
)

/** Starts the workers of this process; they stop, and hand back what they hold, when the layer closes. */
export const workers = Layer.merge(WebhookLayers.workers, ownWorkers)

/** What `/healthz` says of a process that runs `workers`. */
export const workerCount = Layer.succeed(WorkerCount, { current: () => WebhookLayers.workersRunning + loops.length })

/** The services stand on these. */
export type Needs = StoragePorts | Secrets
