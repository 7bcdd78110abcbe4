/** The services of the whole server over any storage, and the workers that drive them. */

import { withExamples } from "@limbeck/api/EventExamples"
import { billingEventTypes } from "@limbeck/billing/BillingEvents"
import { BillingSettings } from "@limbeck/billing/BillingSettings"
import * as CallHolds from "@limbeck/billing/calls/CallHolds"
import * as CallHoldWorker from "@limbeck/billing/calls/CallHoldWorker"
import * as Ledger from "@limbeck/billing/ledger/Ledger"
import { BalanceLowResource } from "@limbeck/billing/ledger/LedgerResource"
import * as TokenUses from "@limbeck/billing/limits/TokenUses"
import type { BillingPorts } from "@limbeck/billing/StoragePorts"
import * as ChatWorker from "@limbeck/chat/answer/ChatWorker"
import { chatEventTypes } from "@limbeck/chat/ChatEvents"
import { MessageResource } from "@limbeck/chat/message/MessageResource"
import type { ChatPorts } from "@limbeck/chat/StoragePorts"
import type { EventType } from "@limbeck/core/events/Event"
import * as Money from "@limbeck/core/money/Money"
import * as RetentionWorker from "@limbeck/core/retention/RetentionWorker"
import * as Connectors from "@limbeck/distill/connector/Connectors"
import { distillEventTypes } from "@limbeck/distill/DistillEvents"
import * as Datasets from "@limbeck/distill/dataset/Datasets"
import { DatasetVersionResource } from "@limbeck/distill/dataset/DatasetVersionResource"
import * as VersionBuilder from "@limbeck/distill/dataset/VersionBuilder"
import { PullResource } from "@limbeck/distill/pull/PullResource"
import * as Pulls from "@limbeck/distill/pull/Pulls"
import * as PullWorker from "@limbeck/distill/pull/PullWorker"
import type { Candidates } from "@limbeck/distill/race/Candidates"
import * as HostedModels from "@limbeck/distill/race/HostedModels"
import * as Proposals from "@limbeck/distill/recipe/Proposals"
import type * as StudentCatalog from "@limbeck/distill/recipe/StudentCatalog"
import { ReportResource } from "@limbeck/distill/report/ReportResource"
import * as Shares from "@limbeck/distill/report/Shares"
import * as Rewards from "@limbeck/distill/reward/Rewards"
import type { EndpointExecutor } from "@limbeck/distill/run/Executor"
import * as RunPlanning from "@limbeck/distill/run/RunPlanning"
import { RunResource } from "@limbeck/distill/run/RunResource"
import * as RunScheduler from "@limbeck/distill/run/RunScheduler"
import * as Runs from "@limbeck/distill/run/Runs"
import type { DistillPorts } from "@limbeck/distill/StoragePorts"
import * as Scorings from "@limbeck/distill/scoring/Scorings"
import type { ExternalStudents } from "@limbeck/distill/student/ExternalStudents"
import * as Suspects from "@limbeck/distill/suspects/Suspects"
import { UploadResource } from "@limbeck/distill/upload/UploadResource"
import * as Uploads from "@limbeck/distill/upload/Uploads"
import * as UploadWorker from "@limbeck/distill/upload/UploadWorker"
import { DeploymentResource } from "@limbeck/serving/deployment/DeploymentResource"
import * as DeploymentWorker from "@limbeck/serving/deployment/DeploymentWorker"
import * as DriftWorker from "@limbeck/serving/guard/DriftWorker"
import * as GuardWorker from "@limbeck/serving/guard/GuardWorker"
import * as Loops from "@limbeck/serving/loop/Loops"
import * as ChallengerWorker from "@limbeck/serving/retraining/ChallengerWorker"
import * as Retrainings from "@limbeck/serving/retraining/Retrainings"
import * as ReviewQueues from "@limbeck/serving/review/ReviewQueues"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChatLayers from "./internal/ChatLayers.ts"
import * as RetentionRules from "./internal/RetentionRules.ts"
import * as ServingLayers from "./internal/ServingLayers.ts"
import * as Workers from "./internal/Workers.ts"
import { ServerSettings } from "./Settings.ts"
import * as WebhookLayers from "./WebhookLayers.ts"

/** Everything a storage adapter provides. */
export type StoragePorts = WebhookPorts | BillingPorts | DistillPorts | ChatPorts

const eventTypes: ReadonlyArray<EventType> = [
  ...withExamples([...distillEventTypes, ...billingEventTypes, ...chatEventTypes], {
    "distill.run": RunResource,
    "distill.report": ReportResource,
    "distill.upload": UploadResource,
    "distill.pull": PullResource,
    "distill.dataset_version": DatasetVersionResource,
    "distill.deployment": DeploymentResource,
    billing: BalanceLowResource,
    message: MessageResource
  }),
  ...WebhookLayers.eventTypes
]

const rewards = Layer.unwrap(Effect.map(ServerSettings, ({ brand }) => Rewards.layerWith({ brand })))

const billingSettings = Layer.effect(
  BillingSettings,
  Effect.map(ServerSettings, ({ balanceLowUsd, billingEnforced }) => ({
    enforced: billingEnforced,
    // Refuses a fraction of micro-dollars.
    balanceLowMicros: balanceLowUsd === null ? null : (Money.fromUsd(balanceLowUsd) ?? null)
  }))
)

/** The services that handlers and workers share. `hostEventTypes`: types that the embedding host adds. */
export const services = <E = never>(
  hostEventTypes: ReadonlyArray<EventType>,
  catalog: Layer.Layer<StudentCatalog.StudentCatalog, E>,
  endpointExecutor: Layer.Layer<EndpointExecutor, never, ExternalStudents>,
  candidates: Layer.Layer<Candidates, never, HostedModels.HostedModels>
) =>
  Layer.mergeAll(
    Loops.layer,
    ReviewQueues.layer,
    Uploads.layer,
    Connectors.layer,
    Pulls.layer,
    rewards,
    Proposals.layer,
    Layer.provideMerge(Layer.merge(Retrainings.layer, Suspects.layer), Layer.merge(Runs.layer, Datasets.layer)),
    Shares.layer,
    Layer.provide(Scorings.layer, rewards),
    ChatLayers.services
  ).pipe(
    Layer.provideMerge(Layer.provideMerge(Layer.merge(endpointExecutor, candidates), HostedModels.layer)),
    Layer.provideMerge(ServingLayers.services),
    Layer.provideMerge(catalog),
    Layer.provideMerge(Layer.merge(CallHolds.layer, TokenUses.layer)),
    Layer.provideMerge(Ledger.layer),
    Layer.provideMerge(billingSettings),
    Layer.provideMerge(WebhookLayers.services(hostEventTypes, eventTypes))
  )

const workers = [
  Effect.map(UploadWorker.UploadWorker, ({ forever }) => forever),
  Effect.map(PullWorker.PullWorker, ({ forever }) => forever),
  Effect.map(VersionBuilder.VersionBuilder, ({ forever }) => forever),
  Effect.map(RunScheduler.RunScheduler, ({ forever }) => forever),
  Effect.map(DeploymentWorker.DeploymentWorker, ({ forever }) => forever),
  Effect.map(GuardWorker.GuardWorker, ({ forever }) => forever),
  Effect.map(DriftWorker.DriftWorker, ({ forever }) => forever),
  Effect.map(RunPlanning.RunPlanning, ({ forever }) => forever),
  Effect.map(ChallengerWorker.ChallengerWorker, ({ forever }) => forever),
  Effect.map(CallHoldWorker.CallHoldWorker, ({ forever }) => forever),
  Effect.map(ChatWorker.ChatWorker, ({ forever }) => forever),
  Effect.map(RetentionRules.all, RetentionWorker.forever)
]

/** Runs all workers in this process. */
export const working = Layer.provide(Workers.layer([...WebhookLayers.senders, ...workers]), [
  WebhookLayers.senderServices,
  UploadWorker.layer,
  PullWorker.layer,
  VersionBuilder.layer,
  RunScheduler.layer,
  DeploymentWorker.layer,
  GuardWorker.layer,
  DriftWorker.layer,
  RunPlanning.layer,
  ChallengerWorker.layer,
  CallHoldWorker.layer,
  ChatLayers.worker
])
