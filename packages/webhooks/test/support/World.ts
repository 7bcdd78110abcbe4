/** Everything that webhooks need, on memory storage, and the few steps that most tests begin with. */
import * as Events from "@limbeck/core/events/Events"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Page from "@limbeck/core/pages/Page"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import * as Crypto from "@limbeck/node/Crypto"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Deliveries from "@limbeck/webhooks/delivery/Deliveries"
import * as DeliveryDispatcher from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as WebhookFanout from "@limbeck/webhooks/delivery/WebhookFanout"
import * as Endpoints from "@limbeck/webhooks/endpoint/Endpoints"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Receiver from "./Receiver.ts"

const catalog = ["distill.run.created", "distill.run.succeeded", "distill.report.ready", "message.completed"]

const base = Layer.mergeAll(
  StorageMemory.layer,
  Events.EventCatalog.layer(catalog.map((type) => ({ type, domain: "test", description: type }))),
  Ids.layer,
  Secrets.layer([Redacted.make(new Uint8Array(32))]),
  Receiver.layer
).pipe(Layer.provideMerge(Crypto.layer))

export const worldWith = (options: DeliveryDispatcher.DispatcherOptions) =>
  Layer.mergeAll(
    Endpoints.layer,
    Deliveries.layer,
    Layer.provide(Events.layer, WebhookFanout.layer),
    DeliveryDispatcher.layerWith(options)
  ).pipe(Layer.provideMerge(base))

/** A fresh one for every test that is given it. */
export const world = worldWith({})

export const live = Partition.make("ws_00000000000000000000000001", true)
export const test = Partition.make("ws_00000000000000000000000001", false)
export const stranger = Partition.make("ws_00000000000000000000000002", true)

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

export const deliveriesOf = Effect.fnUntraced(function* (endpointId: string, partition = live) {
  const store = yield* DeliveryStore
  const { items } = yield* store.page(partition, { endpointId, status: null, eventType: null }, Page.firstPage(1_000))
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
