/**
 * Makes the deliveries of new events: one for every enabled endpoint of the partition that wants the type, in the events'
 * own transaction. One look-up and one insert, however many events are published together.
 */
import type { StoredEvent } from "@limbeck/core/events/Event"
import * as EventPattern from "@limbeck/core/events/EventPattern"
import { Fanout } from "@limbeck/core/events/Events"
import { Ids } from "@limbeck/core/ids/Ids"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Endpoint from "../endpoint/Endpoint.ts"
import * as Delivery from "./Delivery.ts"
import { DeliveryStore, deliveryTopic } from "./DeliveryStore.ts"

const labelsOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> =>
  Endpoint.labelsOf([...new Set(events.flatMap(({ type }) => EventPattern.patternsOf(type)))])

const wants = (endpoint: Endpoint.Endpoint, event: StoredEvent): boolean =>
  endpoint.enabledEvents.some((pattern) => EventPattern.matches(pattern, event.type))

export const layer: Layer.Layer<Fanout, never, ResourceStore | DeliveryStore | Storage | Queue | Ids> = Layer.effect(
  Fanout,
  Effect.gen(function* () {
    const resources = yield* ResourceStore
    const deliveries = yield* DeliveryStore
    const storage = yield* Storage
    const queue = yield* Queue
    const ids = yield* Ids

    const deliver: Fanout["Service"]["deliver"] = Effect.fn("WebhookFanout.deliver")(function* (partition, events) {
      if (events.length === 0) return
      const endpoints = yield* resources.labelled(partition, Endpoint.kind, labelsOf(events))
      const pairs = events.flatMap((event) =>
        endpoints.filter((endpoint) => wants(endpoint, event)).map((endpoint) => ({ endpoint, event }))
      )
      if (pairs.length === 0) return
      const made = yield* Effect.forEach(pairs, ({ endpoint, event }) =>
        Effect.map(ids.make("del"), (id) =>
          Delivery.pending({
            id,
            endpointId: endpoint.id,
            eventId: event.id,
            eventType: event.type,
            now: event.createdAt
          })
        )
      )
      yield* deliveries.insert(partition, made)
      yield* storage.afterCommit(queue.nudge(deliveryTopic))
    })

    return Fanout.of({ deliver })
  })
)
