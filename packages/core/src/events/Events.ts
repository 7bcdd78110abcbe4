/** Publishes events and their deliveries in the transaction of the change that caused them. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StorageError } from "../errors/Errors.ts"
import { Ids } from "../ids/Ids.ts"
import type { Partition } from "../partition/Partition.ts"
import { Storage } from "../storage/Storage.ts"
import * as Trace from "../trace/Trace.ts"
import * as Event from "./Event.ts"
import { EventStore } from "./EventStore.ts"
import * as EventTypes from "./internal/EventTypes.ts"

/** An event before it is stored. Only its deliveries keep the trace; null without one. */
export interface PublishedEvent {
  readonly event: Event.StoredEvent
  readonly traceparent: string | null
}

/** Who makes deliveries of new events, in the same transaction. `webhooks` is one; a host without them has none. */
export class Fanout extends Context.Service<
  Fanout,
  {
    /**
     * Looks up the subscribers before the events are stored, so that nothing waits between the look-up and the commit.
     * Returns an effect that creates the deliveries; run it after the events are stored.
     */
    readonly deliver: (
      partition: Partition,
      events: ReadonlyArray<PublishedEvent>
    ) => Effect.Effect<Effect.Effect<void, StorageError>, StorageError>
  }
>()("@limbeck/core/events/Fanout") {
  static readonly none = Layer.succeed(Fanout, { deliver: () => Effect.succeed(Effect.void) })
}

/** The types that may be published: ours and those the host adds. */
export class EventCatalog extends Context.Service<EventCatalog, { readonly types: ReadonlyArray<Event.EventType> }>()(
  "@limbeck/core/events/EventCatalog"
) {
  static readonly layer = (types: ReadonlyArray<Event.EventType>) => Layer.succeed(EventCatalog, { types })
  /** Built-in event types and those of the host. An invalid host type is a defect, `InvalidEventType`. */
  static readonly layerJoined = (ours: ReadonlyArray<Event.EventType>, hosts: ReadonlyArray<Event.EventType>) =>
    Layer.effect(
      EventCatalog,
      Effect.map(Effect.orDie(Effect.fromResult(EventTypes.join(ours, hosts))), (types) => ({ types }))
    )
}

export class Events extends Context.Service<
  Events,
  {
    /** Stores the events and their deliveries, whole or not at all; joins a surrounding transaction. */
    readonly publish: (
      partition: Partition,
      drafts: ReadonlyArray<Event.EventDraft>
    ) => Effect.Effect<ReadonlyArray<Event.StoredEvent>, StorageError>
  }
>()("@limbeck/core/events/Events") {}

export const layer: Layer.Layer<Events, never, Storage | EventStore | Fanout | Ids> = Layer.effect(
  Events,
  Effect.gen(function* () {
    const storage = yield* Storage
    const store = yield* EventStore
    const fanout = yield* Fanout
    const ids = yield* Ids

    const publish = Effect.fnUntraced(function* (partition: Partition, drafts: ReadonlyArray<Event.EventDraft>) {
      const now = yield* Clock.currentTimeMillis
      const current = yield* Trace.current
      const published = yield* Effect.forEach(drafts, (draft) =>
        Effect.map(ids.make("evt"), (id) => ({
          event: Event.make(partition, id, now, draft),
          traceparent: draft.traceparent ?? current
        }))
      )
      const events = published.map(({ event }) => event)
      yield* storage.transaction(
        Effect.flatMap(fanout.deliver(partition, published), (makeDeliveries) =>
          Effect.andThen(store.append(partition, events), makeDeliveries)
        )
      )
      return events
    }, Trace.traceSpan("Events.publish"))

    return Events.of({ publish })
  })
)
