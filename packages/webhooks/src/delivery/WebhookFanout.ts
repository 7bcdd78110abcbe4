/**
 * Creates the deliveries of new events, in the events' own transaction: one per enabled endpoint of the partition that
 * subscribes to the type. One look-up and one insert for all events published together. Deliveries with a free slot go to
 * this process's dispatcher right after the commit; the rest waits for a claim.
 */
import type { StoredEvent } from "@limbeck/core/events/Event"
import * as EventPattern from "@limbeck/core/events/EventPattern"
import { Fanout, type PublishedEvent } from "@limbeck/core/events/Events"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Endpoint from "../endpoint/Endpoint.ts"
import { WebhookLimits } from "../Limits.ts"
import * as Delivery from "./Delivery.ts"
import { DeliveryStore, deliveryTopic } from "./DeliveryStore.ts"
import * as Handover from "./Handover.ts"

const labelsOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> =>
  Endpoint.labelsOf([...new Set(events.flatMap(({ type }) => EventPattern.patternsOf(type)))])

const wants = (endpoint: Endpoint.Endpoint, event: StoredEvent): boolean =>
  endpoint.enabledEvents.some((pattern) => EventPattern.matches(pattern, event.type))

/** A new delivery with its event and its endpoint. */
interface NewDelivery {
  readonly delivery: Delivery.Delivery
  readonly endpoint: Endpoint.Endpoint
  readonly event: StoredEvent
}

const fanout = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const store = yield* DeliveryStore
  const storage = yield* Storage
  const queue = yield* Queue
  const ids = yield* Ids
  const handover = yield* Handover.Handover

  const makeFor = Effect.fnUntraced(function* ({ event, traceparent }: PublishedEvent, endpoint: Endpoint.Endpoint) {
    const id = yield* ids.make("del")
    const { createdAt: now, id: eventId, type: eventType } = event
    const delivery = Delivery.pending({ id, endpointId: endpoint.id, eventId, eventType, now, traceparent })
    return { delivery, endpoint, event }
  })

  /**
   * If every remaining delivery belongs to an endpoint without room here, the end of an attempt will ring the bell: an
   * earlier look would find nothing. Checked after the commit, so that an attempt that ended before no longer counts.
   */
  const ring = (taker: Handover.Taker, workspace: WorkspaceId, left: ReadonlyArray<Delivery.Delivery>) =>
    Effect.suspend(() => {
      const areCrowded = left.every(({ endpointId: id }) => taker.isCrowded({ id, workspace }))
      return queue.nudge(deliveryTopic, areCrowded ? "elsewhere" : "everywhere")
    })

  const insert = Effect.fnUntraced(function* (partition: Partition, made: ReadonlyArray<NewDelivery>) {
    const deliveries = made.map(({ delivery }) => delivery)
    // The commit of a host's transaction is not seen here: nothing could be handed over, and a lease would only delay claims.
    const taker = (yield* storage.seesCommit) ? handover.taker() : null
    const chosen = new Set(taker?.choose(partition.workspace, deliveries).map(({ id }) => id))
    const leaseUntil = (yield* Clock.currentTimeMillis) + WebhookLimits.leaseMillis
    const leases = yield* store.insert(partition, deliveries, { ids: chosen, leaseUntil })
    const handOver = Effect.forEach(
      made,
      ({ delivery, endpoint, event }) => {
        const lease = leases.get(delivery.id)
        if (lease === undefined || taker === null) return Effect.void
        return taker.take({ partition, delivery, lease, body: event.body }, endpoint, leaseUntil)
      },
      { discard: true }
    )
    if (leases.size > 0) yield* storage.afterCommit(handOver)
    const left = deliveries.filter(({ id }) => !leases.has(id))
    if (left.length > 0)
      yield* taker === null ? queue.nudge(deliveryTopic) : storage.afterCommit(ring(taker, partition.workspace, left))
  })

  const wanted = Effect.fnUntraced(function* (partition: Partition, events: ReadonlyArray<PublishedEvent>) {
    if (events.length === 0) return []
    const types = labelsOf(events.map(({ event }) => event))
    const endpoints = yield* resources.findByLabels(partition, Endpoint.kind, types)
    const pairs = events.flatMap((published) =>
      endpoints.filter((endpoint) => wants(endpoint, published.event)).map((endpoint) => ({ endpoint, published }))
    )
    return yield* Effect.forEach(pairs, ({ endpoint, published }) => makeFor(published, endpoint))
  })

  const deliver: Fanout["Service"]["deliver"] = (partition, events) =>
    Trace.traceSpan("WebhookFanout.deliver")(
      Effect.map(wanted(partition, events), (made) => (made.length === 0 ? Effect.void : insert(partition, made)))
    )

  return Fanout.of({ deliver })
})

type Needs = ResourceStore | DeliveryStore | Storage | Queue | Ids

/** With the handover that a dispatcher of the same process listens to. */
export const layer: Layer.Layer<Fanout | Handover.Handover, never, Needs> = Layer.provideMerge(
  Layer.effect(Fanout, fanout),
  Handover.layer
)
