/** Events (service-api 2.7, 6.1). */
import { EventResource as Event } from "@limbeck/core/events/EventResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { idOf, listOf, listQuery } from "../contract/Common.ts"
import { about, operation, readErrors } from "../contract/Operation.ts"

export { Event }

const eventsQuery = {
  ...listQuery,
  type: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description: "An event type, *, or <prefix>.* of one; a 400 where it matches none"
    })
  ),
  order: Schema.optionalKey(Schema.Literals(["asc", "desc"]))
}
const EventsQuery = Schema.Struct(eventsQuery)
export type EventsQuery = typeof EventsQuery.Type

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/v1/events", {
      query: eventsQuery,
      success: listOf(Event),
      error: readErrors
    }).annotateMerge(
      operation("listEvents", "Events, newest first; with order=asc a forward walk that misses none", {
        access: "events:read",
        recovery: "With order=asc, next_cursor is always set: keep it and poll with it."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/events/:event_id", {
      params: { event_id: idOf("evt") },
      success: Event,
      error: readErrors
    }).annotateMerge(operation("getEvent", "One event", { access: "events:read" }))
  )
  .annotateMerge(about("Immutable events of the workspace and mode.")) {}
