/**
 * Tests an endpoint: sends one signed request of an unstored event and returns the response (contract 8). Works on a
 * disabled endpoint too. Sending takes up to the attempt limit, so it never runs inside a transaction. In test mode the event
 * may have any type of the catalog.
 */
import { type InvalidInput, invalid, type NotFound, type StorageError } from "@limbeck/core/errors/Errors"
import * as Event from "@limbeck/core/events/Event"
import * as EventPattern from "@limbeck/core/events/EventPattern"
import { EventCatalog } from "@limbeck/core/events/Events"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Trace from "@limbeck/core/trace/Trace"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AttemptResult } from "../delivery/Delivery.ts"
import * as Signer from "../delivery/internal/Signer.ts"
import { WebhookSender } from "../delivery/WebhookSender.ts"
import { webhookPing } from "../WebhookEvents.ts"
import * as EndpointResource from "./EndpointResource.ts"
import { Endpoints } from "./Endpoints.ts"

export class Pings extends Context.Service<
  Pings,
  {
    /** `type` is an event type of the catalog, in test mode alone; by default `webhook.ping`. */
    readonly ping: (
      partition: Partition,
      endpointId: string,
      type?: string
    ) => Effect.Effect<AttemptResult, InvalidInput | NotFound | StorageError>
  }
>()("@limbeck/webhooks/endpoint/Pings") {}

/** Of a type without an example. */
const bareExample = ({ domain }: Event.EventType) => ({ id: "example", object: domain })

/** The test event of a type of the catalog. */
const draftOf = (types: ReadonlyArray<Event.EventType>, { livemode }: Partition, type: string) => {
  const entry = types.find((known) => known.type === type)
  if (entry === undefined) {
    const names = types.map((known) => known.type)
    const message = `There is no such event type. The nearest is ${EventPattern.nearest(type, names)}; see GET /v1/event_types`
    return Effect.fail(invalid("type", message))
  }
  if (livemode)
    return Effect.fail(invalid("type", "Test events of a type are for test mode; in live mode send a plain ping"))
  return Effect.sync(() => ({ type, object: entry.example?.() ?? bareExample(entry) }))
}

const make = Effect.fnUntraced(function* (options: { readonly brand?: string }) {
  const endpoints = yield* Endpoints
  const sender = yield* WebhookSender
  const ids = yield* Ids
  const mac = yield* Mac
  const sign = yield* Signer.make(options.brand)
  const { types } = yield* EventCatalog

  return Pings.of({
    ping: Effect.fn("Pings.ping")(function* (partition, endpointId, type = webhookPing) {
      const view = yield* endpoints.get(partition, endpointId)
      const now = yield* Clock.currentTimeMillis
      const draft =
        type === webhookPing
          ? { type, object: EndpointResource.render(partition, view) }
          : yield* draftOf(types, partition, type)
      const event = Event.make(partition, yield* ids.make("evt"), now, draft)
      const letter = {
        event,
        deliveryId: yield* ids.make("del"),
        body: ApiVersions.textIn(view.endpoint.apiVersion, event.body),
        traceparent: yield* Trace.current
      }
      const signed = Effect.provideService(sign(partition, view.endpoint, letter, now), Mac, mac)
      return yield* sender.send(yield* signed)
    })
  })
})

type Needs = Endpoints | EventCatalog | WebhookSender | Ids | Secrets | Mac

/** `brand` as the dispatcher's. */
export const layerWith = (options: { readonly brand?: string }): Layer.Layer<Pings, never, Needs> =>
  Layer.effect(Pings, make(options))

export const layer = layerWith({})
