/**
 * The outermost layer of every answer: a request id, the version header, and one place that turns whatever went wrong into
 * the envelope. A defect is a 500 without internals; its whole cause goes to the log under the request id.
 */
import { wire } from "@limbeck/api/Brand"
import { defectRow, type ErrorEnvelope, errorTable, render } from "@limbeck/api/ErrorTable"
import { type DomainError, NotFound } from "@limbeck/core/errors/Errors"
import { apiVersion } from "@limbeck/core/events/Event"
import type { RequestId } from "@limbeck/core/ids/Id"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerError from "effect/http/HttpServerError"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export class CurrentRequestId extends Context.Service<CurrentRequestId, RequestId>()(
  "@limbeck/server/http/CurrentRequestId"
) {}

type Response = HttpServerResponse.HttpServerResponse

const isDomainError = (error: unknown): error is DomainError =>
  typeof error === "object" && error !== null && "_tag" in error && String(error._tag) in errorTable

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json", headers })

const errorHeaders = (error: DomainError): Record<string, string> => {
  if (error._tag === "Unauthenticated") return { "www-authenticate": "Bearer" }
  if (error._tag === "RateLimited") return { "retry-after": String(Math.ceil(error.retryAfterSeconds)) }
  return {}
}

const known = (error: unknown, request: HttpServerRequest): DomainError | undefined => {
  if (isDomainError(error)) return error
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    return new NotFound({ message: `No such route: ${request.method} ${request.url.split("?")[0]}` })
  }
  return undefined
}

const defect = (id: RequestId): ErrorEnvelope => ({
  error: {
    type: defectRow.type,
    code: defectRow.code,
    message: "Something went wrong on our side; the request id names it in our log",
    param: null,
    request_id: id
  }
})

const answerFailure = (cause: Cause.Cause<unknown>, request: HttpServerRequest, id: RequestId) => {
  const error = known(Cause.squash(cause), request)
  if (error === undefined) {
    return Effect.as(
      Effect.annotateLogs(Effect.logError("a request met a defect", cause), { request_id: id, url: request.url }),
      json(defectRow.status, defect(id))
    )
  }
  const answer = json(errorTable[error._tag].status, render(error, id), errorHeaders(error))
  return error._tag === "StorageError"
    ? Effect.as(Effect.annotateLogs(Effect.logError("storage failed", error.cause), { request_id: id }), answer)
    : Effect.succeed(answer)
}

/** Wraps the router's app; nothing leaves without an id, and nothing fails. */
export const around = <R>(app: Effect.Effect<Response, unknown, R>) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const request = yield* HttpServerRequest
    const id = yield* ids.make("req")
    const answered = app.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? // The client went away: there is nobody to answer, and the server must see the interruption.
            Effect.failCause(cause as Cause.Cause<never>)
          : answerFailure(cause, request, id)
      ),
      Effect.provideService(CurrentRequestId, id)
    )
    return HttpServerResponse.setHeaders(yield* answered, { [wire.requestId]: id, [wire.version]: apiVersion })
  })
