/** What needs no credentials: health, the OpenAPI document, the event catalog. */
import * as OpenApiDocument from "@limbeck/api/OpenApiDocument"
import { EventCatalog } from "@limbeck/core/events/Events"
import { Storage } from "@limbeck/core/storage/Storage"
import { Recorder } from "@limbeck/gateway/capture/Recorder"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Lists from "../http/Lists.ts"
import * as Pipeline from "../http/Pipeline.ts"
import { route } from "../http/Routes.ts"
import { ServerSettings } from "../Settings.ts"

/** How many workers this process runs; the one who starts them says so. */
export class WorkerCount extends Context.Reference<{ readonly current: () => number }>("@limbeck/server/WorkerCount", {
  defaultValue: () => ({ current: () => 0 })
}) {}

const healthMillis = 1_000

/** Whether storage answers in time. A question that it does not answer is left alone: to take it back may take long, too. */
const answers = Effect.fnUntraced(function* (storage: Storage["Service"]) {
  const asked = yield* Effect.forkDetach(storage.health)
  const answer = yield* Effect.timeoutOption(Fiber.await(asked), healthMillis)
  if (Option.isSome(answer)) return Exit.isSuccess(answer.value)
  asked.interruptUnsafe()
  return false
})

/** The same to everybody who asks for a version that there is. */
const fixed = (response: HttpServerResponse.HttpServerResponse) =>
  Effect.as(Effect.flatMap(HttpServerRequest, Pipeline.checkVersion), response)

/** `described`: what the document is about. */
export const make = Effect.fnUntraced(function* (described: OpenApiDocument.Described) {
  const settings = yield* ServerSettings
  const storage = yield* Storage
  const catalog = yield* EventCatalog
  const workers = yield* WorkerCount
  const document = HttpServerResponse.jsonUnsafe(OpenApiDocument.make(settings.publicUrl, described, settings.brand))
  const types = catalog.types.map(({ description, domain, type }) => ({
    object: "event_type" as const,
    type,
    domain,
    description
  }))
  const eventTypes = HttpServerResponse.jsonUnsafe(Lists.whole(types))

  /** Where calls are captured: a trouble of that is no trouble of the server. */
  const recorder = yield* Effect.serviceOption(Recorder)
  const capture = Option.isNone(recorder)
    ? Effect.succeed({})
    : Effect.map(recorder.value.figures, (figures) => ({ capture: figures }))

  const health = answers(storage).pipe(
    Effect.zip(capture),
    Effect.map(([healthy, captured]) =>
      HttpServerResponse.jsonUnsafe(
        {
          status: healthy ? "ok" : "unavailable",
          version: settings.version,
          storage: healthy ? "ok" : "unavailable",
          queue: healthy ? "ok" : "unavailable",
          workers: workers.current(),
          ...captured
        },
        { status: healthy ? 200 : 503 }
      )
    )
  )

  return [
    route("GET", "/healthz", health),
    route("GET", "/v1/openapi.json", fixed(document)),
    route("GET", "/v1/event_types", fixed(eventTypes))
  ] as const
})
