/** The event routes: newest first, or a forward walk that misses none (contract 1). */
import { type Event, EventsApi, type EventsQuery } from "@limbeck/api/EventsApi"
import { notFound } from "@limbeck/core/errors/Errors"
import type { StoredEvent } from "@limbeck/core/events/Event"
import { EventStore } from "@limbeck/core/events/EventStore"
import type { EventCatalog } from "@limbeck/core/events/Events"
import * as JsonTexts from "@limbeck/core/json/JsonTexts"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as EventFilter from "../../http/internal/EventFilter.ts"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

/** The stored text of an event is its resource. */
const resource = (event: StoredEvent) => JsonTexts.standInFor<typeof Event.Type>(event)

export const make: Effect.Effect<Handlers<typeof EventsApi>, never, EventStore | EventCatalog> = Effect.gen(
  function* () {
    const store = yield* EventStore
    const filters = yield* EventFilter.make

    const list = (partition: Partition, query: EventsQuery) => {
      const pattern = query.type ?? null
      const options = { partition, list: `events.${query.order ?? "desc"}`, query, filters: { type: query.type } }
      if (query.order !== "asc") {
        return Lists.page(
          options,
          (request) => store.page(partition, pattern, request),
          (items) => items.map(resource)
        )
      }
      return Effect.gen(function* () {
        const { hasMore, items, next } = yield* store.pageForward(partition, {
          position: yield* Lists.positionOf(options),
          pattern,
          limit: Lists.limitOf(query),
          createdAfter: query.created_after ?? null,
          createdBefore: query.created_before ?? null
        })
        return Lists.envelope(options, items.map(resource), hasMore, next)
      })
    }

    const hasEvent = (partition: Partition, pattern: string | undefined) =>
      Effect.map(store.page(partition, pattern ?? null, firstPage(1)), ({ items }) => items.length > 0)

    return handlersOf(EventsApi)({
      list: ({ caller: { partition }, query }) => {
        const filter = { param: "type", given: query.type, hasEntry: hasEvent(partition, query.type) }
        return Effect.andThen(filters.pattern(filter), list(partition, query))
      },
      get: ({ caller: { partition }, params }) =>
        Effect.flatMap(
          store.find(partition, params.event_id),
          Option.match({
            onNone: () => Effect.fail(notFound("event", params.event_id)),
            onSome: (event) => Effect.succeed(resource(event))
          })
        )
    })
  }
)
