/** What needs no credentials: health, the OpenAPI document, the event catalog. */
import * as OpenApiDocument from "@limbeck/api/OpenApiDocument"
import { SystemApi } from "@limbeck/api/SystemApi"
import { EventCatalog } from "@limbeck/core/events/Events"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Lists from "../../http/internal/Lists.ts"
import * as RequestVersion from "../../http/internal/RequestVersion.ts"
import { responsesOf } from "../../http/internal/Routes.ts"
import { WorkerCount } from "../../internal/Workers.ts"
import { ServerSettings } from "../../Settings.ts"
import * as StorageProbe from "../../StorageProbe.ts"

/** Built at the first request and shared by all requests with a known version. */
const shareResponse = (make: () => HttpServerResponse.HttpServerResponse) => {
  let made: HttpServerResponse.HttpServerResponse | undefined
  return Effect.map(RequestVersion.check, () => {
    made ??= make()
    return made
  })
}

/** `details`: further facts of `/healthz`, without effect on the status. */
export const make = Effect.fnUntraced(function* <Groups extends HttpApiGroup.Constraint>(
  contract: OpenApiDocument.Contract<Groups>,
  details: Effect.Effect<Readonly<Record<string, unknown>>> = Effect.succeed({})
) {
  const settings = yield* ServerSettings
  const probe = yield* StorageProbe.make
  const catalog = yield* EventCatalog
  const workers = yield* WorkerCount
  // A sixth of the time that a server takes to start: many are never asked for it.
  const document = () =>
    HttpServerResponse.jsonUnsafe(OpenApiDocument.make(settings.publicUrl, contract, settings.brand), {
      // The same for everybody: caches may keep it, and ask whether it has changed.
      headers: { "cache-control": "no-cache" }
    })
  const types = catalog.types.map(({ description, domain, type }) => ({
    object: "event_type" as const,
    type,
    domain,
    description
  }))
  const eventTypes = () => HttpServerResponse.jsonUnsafe(Lists.whole(types))

  const health = probe.pipe(
    Effect.zip(details),
    Effect.map(([state, shown]) =>
      HttpServerResponse.jsonUnsafe(
        {
          status: state === "ok" ? "ok" : "unavailable",
          version: settings.version,
          storage: state,
          // The queue is in the storage, and each claim is a write.
          queue: state === "ok" ? "ok" : "unavailable",
          workers,
          ...shown
        },
        { status: state === "ok" ? 200 : 503 }
      )
    )
  )

  return responsesOf(SystemApi)({ health, openapi: shareResponse(document), eventTypes: shareResponse(eventTypes) })
})
