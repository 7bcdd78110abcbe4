/** Everything that webhooks need, on memory storage, and the few steps that most tests begin with. */
import * as Events from "@limbeck/core/events/Events"
import * as Page from "@limbeck/core/pages/Page"
import type * as Partition from "@limbeck/core/partition/Partition"
import * as Crypto from "@limbeck/node/Crypto"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as World from "@limbeck/testing/World"
import * as Deliveries from "@limbeck/webhooks/delivery/Deliveries"
import * as DeliveryDispatcher from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as WebhookFanout from "@limbeck/webhooks/delivery/WebhookFanout"
import * as AutoDisable from "@limbeck/webhooks/endpoint/AutoDisable"
import * as Endpoints from "@limbeck/webhooks/endpoint/Endpoints"
import * as Pings from "@limbeck/webhooks/endpoint/Pings"
import * as Recoveries from "@limbeck/webhooks/recovery/Recoveries"
import * as RecoveryWorker from "@limbeck/webhooks/recovery/RecoveryWorker"
import { webhookEventTypes } from "@limbeck/webhooks/WebhookEvents"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Receiver from "./Receiver.ts"

const catalog = ["distill.run.created", "distill.run.succeeded", "distill.report.ready", "message.completed"]

const base = Layer.mergeAll(
  StorageMemory.layer,
  Events.EventCatalog.layer([
    ...catalog.map((type) => ({ type, domain: "test", description: type })),
    ...webhookEventTypes
  ]),
  World.services,
  Receiver.layer
).pipe(Layer.provideMerge(Crypto.layer))

interface WorldOptions extends DeliveryDispatcher.DispatcherOptions {
  readonly disableAfterDays?: number
}

export const worldWith = ({ disableAfterDays, ...options }: WorldOptions) =>
  Layer.mergeAll(Deliveries.layer, Pings.layer, Recoveries.layer, RecoveryWorker.layer).pipe(
    Layer.merge(DeliveryDispatcher.layerWith(options)),
    Layer.provide(disableAfterDays === undefined ? Layer.empty : AutoDisable.layer(disableAfterDays)),
    Layer.provideMerge(Layer.merge(Endpoints.layer, Layer.provideMerge(Events.layer, WebhookFanout.layer))),
    Layer.provideMerge(base)
  )

/** A fresh world for each test. */
export const world = worldWith({})

export const { live, test, stranger } = World

export const createEndpoint = Effect.fnUntraced(function* (
  enabledEvents: ReadonlyArray<string> = ["*"],
  options: { readonly partition?: Partition.Partition; readonly url?: string } = {}
) {
  const { partition = live, url = "https://receiver.example/hook" } = options
  const { secret, view } = yield* (yield* Endpoints.Endpoints).create(partition, { url, enabledEvents })
  return { ...view.endpoint, secret }
})

export const publish = Effect.fnUntraced(function* (
  type = "distill.run.succeeded",
  options: { readonly partition?: Partition.Partition; readonly times?: number } = {}
) {
  const { partition = live, times = 1 } = options
  const events = yield* Events.Events
  const object = { id: "run_1", object: "distill_run", status: "succeeded", naïve: "déjà vu" }
  return yield* events.publish(
    partition,
    Array.from({ length: times }, () => ({ type, object }))
  )
})

export const deliveriesOf = Effect.fnUntraced(function* (endpointId: string, partition = live, limit = 1_000) {
  const store = yield* DeliveryStore
  const { items } = yield* store.page(partition, { endpointId, status: null, eventType: null }, Page.firstPage(limit))
  return items
})

/** The one delivery of an endpoint. */
export const deliveryOf = Effect.fnUntraced(function* (endpointId: string) {
  const [delivery, ...others] = yield* deliveriesOf(endpointId)
  if (delivery === undefined || others.length > 0) return yield* Effect.die("expected exactly one delivery")
  return delivery
})

/** A dispatcher of another process on the same storage. */
export const anotherDispatcher = Effect.map(Layer.build(Layer.fresh(DeliveryDispatcher.layer)), (context) =>
  Context.get(context, DeliveryDispatcher.DeliveryDispatcher)
)

/** Lets real asynchronous work, such as cryptography, finish. */
export const settleDown = Effect.forEach(Array.from({ length: 50 }), () =>
  Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
)

/** Runs a worker during the test; lets hanging attempts end after the test. */
export const during =
  (forever: Effect.Effect<never>) =>
  <A, E, R>(test: Effect.Effect<A, E, R>) =>
    Effect.andThen(Effect.forkScoped(forever), Effect.andThen(settleDown, test)).pipe(
      Effect.scoped,
      Effect.ensuring(TestClock.adjust("1 minute"))
    )

/** Publishes events whose deliveries are all given up at once; answers those of the endpoint, oldest first. */
export const deadDeliveries = Effect.fnUntraced(function* (endpointId: string, count: number) {
  const store = yield* DeliveryStore
  yield* publish("message.completed", { times: count })
  const now = yield* Clock.currentTimeMillis
  const claimed = yield* store.claimDue({ lane: "first", now, limit: 1_000_000, leaseUntil: now + 1_000 })
  yield* store.settle(
    claimed.map(({ delivery, lease, partition }) => ({
      partition,
      lease,
      delivery: { ...delivery, status: "dead_lettered", dueAt: null, updatedAt: now },
      attempt: null
    }))
  )
  return (yield* deliveriesOf(endpointId, live, count)).toReversed()
})
