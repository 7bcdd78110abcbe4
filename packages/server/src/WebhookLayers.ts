/** The webhook engine over any storage: the services that every assembly has, and the workers that send. */
import type { EventType } from "@limbeck/core/events/Event"
import * as Events from "@limbeck/core/events/Events"
import * as HostEvents from "@limbeck/core/events/HostEvents"
import * as IdempotentWrites from "@limbeck/core/idempotency/IdempotentWrites"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Authentication from "@limbeck/core/tokens/Authentication"
import * as Tokens from "@limbeck/core/tokens/Tokens"
import * as Workspaces from "@limbeck/core/workspaces/Workspaces"
import * as Deliveries from "@limbeck/webhooks/delivery/Deliveries"
import * as DeliveryDispatcher from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import * as WebhookFanout from "@limbeck/webhooks/delivery/WebhookFanout"
import * as AutoDisable from "@limbeck/webhooks/endpoint/AutoDisable"
import * as Endpoints from "@limbeck/webhooks/endpoint/Endpoints"
import * as Pings from "@limbeck/webhooks/endpoint/Pings"
import * as Recoveries from "@limbeck/webhooks/recovery/Recoveries"
import * as RecoveryWorker from "@limbeck/webhooks/recovery/RecoveryWorker"
import * as HistoryWorker from "@limbeck/webhooks/retention/HistoryWorker"
import { webhookEventTypes } from "@limbeck/webhooks/WebhookEvents"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as EventSweeper from "./EventSweeper.ts"
import { WorkerCount } from "./handlers/SystemRoutes.ts"
import * as RateLimiter from "./http/RateLimiter.ts"
import * as IdempotencySweeper from "./IdempotencySweeper.ts"
import { ServerSettings } from "./Settings.ts"

const pings = Layer.unwrap(Effect.map(ServerSettings, ({ brand }) => Pings.layerWith({ brand })))

const dispatcher = Layer.unwrap(
  Effect.map(ServerSettings, ({ brand, webhookScheduleSeconds }) =>
    DeliveryDispatcher.layerWith({ brand, schedule: { offsetsSeconds: webhookScheduleSeconds } })
  )
)

/** `hostEventTypes`: what the embedding host adds to `ours`. */
export const services = (
  hostEventTypes: ReadonlyArray<EventType> = [],
  ours: ReadonlyArray<EventType> = webhookEventTypes
) =>
  Layer.mergeAll(
    Authentication.layer,
    Tokens.layer,
    Workspaces.layer,
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

const history = Layer.unwrap(
  Effect.map(ServerSettings, ({ webhookHistoryDays }) => HistoryWorker.layer(webhookHistoryDays))
)

/** Starts the workers of this process; they stop, and hand back what they hold, when the layer closes. */
export const workers = Layer.effectDiscard(
  Effect.gen(function* () {
    const loops = [
      (yield* DeliveryDispatcher.DeliveryDispatcher).forever,
      (yield* RecoveryWorker.RecoveryWorker).forever,
      (yield* HistoryWorker.HistoryWorker).forever,
      yield* IdempotencySweeper.make,
      yield* EventSweeper.make
    ]
    yield* Effect.forEach(loops, (loop) => Effect.forkScoped(loop), { discard: true })
  })
).pipe(Layer.provide([Layer.provide(dispatcher, autoDisable), RecoveryWorker.layer, history]))

/** How many loops `workers` runs. */
export const workersRunning = 5

/** What `/healthz` says of a process that runs `workers`. */
export const workerCount = Layer.succeed(WorkerCount, { current: () => workersRunning })
