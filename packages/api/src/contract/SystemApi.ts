/** What needs no credentials (service-api 5.9). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { listOf } from "./Common.ts"
import { about, at, operation, publicErrors } from "./Operation.ts"

/** Figures of captured calls; absent without capture. A problem there does not change the server's status. */
const Capture = Schema.Struct({
  /** Not in storage yet. */
  waiting: Schema.Int,
  /** Given up since the process began. */
  dropped: Schema.Int,
  /** Why calls are given up at present. */
  trouble: Schema.NullOr(Schema.String)
}).annotate({ identifier: "HealthOfCapture" })

const health = <S extends Schema.Top>(queue: string, storage: S) =>
  Schema.Struct({
    status: Schema.String,
    version: Schema.String,
    storage,
    queue: Schema.Literal(queue),
    workers: Schema.Int,
    capture: Schema.optionalKey(Capture)
  })

export const EventTypeEntry = Schema.Struct({
  object: Schema.Literal("event_type"),
  type: Schema.String,
  domain: Schema.String,
  description: Schema.String
}).annotate({ identifier: "EventType" })

export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/healthz", {
      success: health("ok", Schema.Literal("ok")).annotate({ identifier: "Health" }),
      error: [
        // Of the transport: what is no HTTP.
        at(400),
        health("unavailable", Schema.Literals(["read_only", "unavailable"]))
          .annotate({ identifier: "Unhealthy" })
          .pipe(HttpApiSchema.status(503))
      ]
    }).annotateMerge(
      operation("getHealth", "Whether storage answers within a second, and takes writes", { access: "public" })
    )
  )
  .add(
    HttpApiEndpoint.get("openapi", "/v1/openapi.json", {
      success: Schema.JsonObject.annotate({ examples: [{ openapi: "3.1.0" }] }),
      error: publicErrors
    }).annotateMerge(operation("getOpenApi", "This document", { access: "public" }))
  )
  .add(
    HttpApiEndpoint.get("eventTypes", "/v1/event_types", {
      success: listOf(EventTypeEntry),
      error: publicErrors
    }).annotateMerge(operation("listEventTypes", "The catalog of event types, not paged", { access: "public" }))
  )
  .annotateMerge(about("Health, this document, and the catalog of event types; no credentials.")) {}
