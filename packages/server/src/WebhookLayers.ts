/** The webhook engine over any storage: the services that every assembly has, and the workers that send. */
import { withExamples } from "@limbeck/api/EventExamples"
import type { EventType } from "@limbeck/core/events/Event"
import * as Events from "@limbeck/core/events/Events"
import * as HostEvents from "@limbeck/core/events/HostEvents"
import * as IdempotentWrites from "@limbeck/core/idempotency/IdempotentWrites"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Invitations from "@limbeck/core/people/Invitations"
import * as LinkSecrets from "@limbeck/core/people/LinkSecrets"
import * as People from "@limbeck/core/people/People"
import * as Sessions from "@limbeck/core/people/Sessions"
import * as SignInLinks from "@limbeck/core/people/SignInLinks"
import * as RetentionWorker from "@limbeck/core/retention/RetentionWorker"
import * as Authentication from "@limbeck/core/tokens/Authentication"
import * as MemberTokens from "@limbeck/core/tokens/MemberTokens"
import * as Tokens from "@limbeck/core/tokens/Tokens"
import * as HostWorkspaces from "@limbeck/core/workspaces/HostWorkspaces"
import * as Workspaces from "@limbeck/core/workspaces/Workspaces"
import * as Deliveries from "@limbeck/webhooks/delivery/Deliveries"
import * as DeliveryDispatcher from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import * as WebhookFanout from "@limbeck/webhooks/delivery/WebhookFanout"
import * as AutoDisable from "@limbeck/webhooks/endpoint/AutoDisable"
import { EndpointResource } from "@limbeck/webhooks/endpoint/EndpointResource"
import * as Endpoints from "@limbeck/webhooks/endpoint/Endpoints"
import * as Pings from "@limbeck/webhooks/endpoint/Pings"
import * as Recoveries from "@limbeck/webhooks/recovery/Recoveries"
import * as RecoveryWorker from "@limbeck/webhooks/recovery/RecoveryWorker"
import { webhookEventTypes } from "@limbeck/webhooks/WebhookEvents"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RateLimiter from "./http/RateLimiter.ts"
import * as SignInLimit from "./http/SignInLimit.ts"
import { webhookRules } from "./internal/WebhookRetentionRules.ts"
import * as Workers from "./internal/Workers.ts"
import { ServerSettings } from "./Settings.ts"

const pings = Layer.unwrap(Effect.map(ServerSettings, ({ brand }) => Pings.layerWith({ brand })))

const dispatcher = Layer.unwrap(
  Effect.map(ServerSettings, ({ brand, webhookScheduleSeconds }) =>
    DeliveryDispatcher.layerWith({ brand, schedule: { offsetsSeconds: webhookScheduleSeconds } })
  )
)

/** The event types of webhooks themselves. */
export const eventTypes = withExamples(webhookEventTypes, { webhook_endpoint: EndpointResource })

/** `hostEventTypes`: what the embedding host adds to `ours`. */
export const services = (hostEventTypes: ReadonlyArray<EventType> = [], ours: ReadonlyArray<EventType> = eventTypes) =>
  Layer.mergeAll(
    Layer.mergeAll(Invitations.layer, SignInLimit.layer).pipe(
      Layer.provideMerge(People.layer),
      Layer.provideMerge(SignInLinks.layer),
      Layer.provideMerge(Layer.merge(Sessions.layer, LinkSecrets.layer)),
      Layer.provideMerge(MemberTokens.layer),
      Layer.provideMerge(HostWorkspaces.layer),
      Layer.provideMerge(Workspaces.layer),
      Layer.provideMerge(Tokens.layer),
      Layer.provideMerge(Authentication.layer)
    ),
    IdempotentWrites.layer,
    Layer.provideMerge(pings, Endpoints.layer),
    Deliveries.layer,
    Recoveries.layer,
    RateLimiter.layer,
    HostEvents.layer(hostEventTypes)
  ).pipe(
    Layer.provideMerge(Events.layer),
    Layer.provideMerge(WebhookFanout.layer),
    Layer.provideMerge(Layer.merge(Ids.layer, Events.EventCatalog.layerJoined(ours, hostEventTypes)))
  )

const autoDisable = Layer.unwrap(
  Effect.map(ServerSettings, ({ webhookDisableAfterDays: days }) =>
    days === null ? Layer.empty : AutoDisable.layer(days)
  )
)

/** The loops that send and recover. */
export const senders = [
  Effect.map(DeliveryDispatcher.DeliveryDispatcher, ({ forever }) => forever),
  Effect.map(RecoveryWorker.RecoveryWorker, ({ forever }) => forever)
]

const workers = [...senders, Effect.map(webhookRules, RetentionWorker.forever)]

/** What `senders` need besides the services. */
export const senderServices = Layer.mergeAll(Layer.provide(dispatcher, autoDisable), RecoveryWorker.layer)

/** Runs the workers in this process. */
export const workersLayer = Layer.provide(Workers.layer(workers), senderServices)
