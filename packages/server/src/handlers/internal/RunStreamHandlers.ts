/** `GET …/stream`: server-sent events of a run until its end. An event's id is the position for a resume. */
import { factsOf } from "@limbeck/api/Operation"
import { RunStreamApi } from "@limbeck/api/RunsApi"
import { invalid } from "@limbeck/core/errors/Errors"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as RunFeed from "@limbeck/distill/run/RunFeed"
import type { RunRecord } from "@limbeck/distill/run/RunRecords"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import { unbufferedHeaders } from "../../http/internal/EventStream.ts"
import * as Pipeline from "../../http/internal/Pipeline.ts"
import { RequestVersion } from "../../http/internal/RequestVersion.ts"
import { responsesOf } from "../../http/internal/Routes.ts"

const facts = factsOf(RunStreamApi.endpoints.stream.annotations)

const dataOf = (version: string, record: RunRecord): string => {
  switch (record.kind) {
    case "state":
      return ApiVersions.textIn(version, record.state)
    case "metric": {
      const { at, name, stage, step, unit, value } = record.point
      return JSON.stringify({ stage, name, unit, step, value, at: toIso(at) })
    }
    case "log": {
      const { at, level, message, seq, stage } = record.line
      return JSON.stringify({ seq, stage, at: toIso(at), level, message })
    }
  }
}

const eventOf = (version: string, record: RunRecord): string =>
  Sse.encoder.write({ _tag: "Event", event: record.kind, id: String(record.place), data: dataOf(version, record) })

/** Readers ignore it; it keeps the connection open, and sends the head of the answer on its way. */
const comment = ":\n\n"

const lastSeen = (request: HttpServerRequest) => {
  const id = request.headers["last-event-id"] ?? ""
  return /^\d{0,15}$/.test(id)
    ? Effect.succeed(Number(id))
    : Effect.fail(invalid("Last-Event-ID", "This is no id of an event of this stream"))
}

/** The handler, and what ends its streams: a server that stops does not wait for runs to end. */
export const make = Effect.gen(function* () {
  const runs = yield* Runs
  const follow = yield* RunFeed.make
  const closing = Latch.makeUnsafe(false)

  const stream = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const caller = yield* Pipeline.admit(request, facts)
    const { params } = yield* HttpRouter.RouteContext
    const after = yield* lastSeen(request)
    const version = yield* RequestVersion
    const run = yield* runs.get(caller.partition, params["run_id"] ?? "")
    const events = follow(caller.partition, run, after).pipe(
      Stream.map((records) =>
        records.length === 0 ? comment : records.map((record) => eventOf(version, record)).join("")
      ),
      // The end of a stream is no failure of the run: the client reconnects with its last event's id.
      Stream.catchTag("StorageError", ({ cause }) =>
        Stream.drain(
          Stream.fromEffect(Effect.annotateLogs(Effect.logWarning("run_stream_failed", cause), { run: run.id }))
        )
      ),
      (told) => Stream.concat(Stream.succeed(comment), told),
      Stream.interruptWhen(closing.await),
      Stream.encodeText
    )
    return HttpServerResponse.stream(events, { contentType: "text/event-stream", headers: unbufferedHeaders })
  })

  return { handlers: responsesOf(RunStreamApi)({ stream }), end: Effect.asVoid(closing.open) }
})
