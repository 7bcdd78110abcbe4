/**
 * Selects traced requests, and makes their spans. A client's sampling flag is followed; other requests are sampled. An
 * untraced request makes no span, here or inside.
 */
import * as Trace from "@limbeck/core/trace/Trace"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Random from "effect/Random"

/** The error that marks a request's span as failed. */
class Fault extends Error {
  override readonly name = "ServerError"
  readonly response: HttpServerResponse
  constructor(response: HttpServerResponse) {
    super(`The answer has status ${response.status}`)
    this.response = response
  }
}

const isFault = ({ status }: HttpServerResponse): boolean => status >= 500

/** With the answer's status on the span. */
const observe = <E, R>(app: Effect.Effect<HttpServerResponse, E, R>) =>
  Effect.flatMap(app, (response) =>
    Effect.andThen(
      Effect.annotateCurrentSpan("http.response.status_code", response.status),
      isFault(response) ? Effect.fail(new Fault(response)) : Effect.succeed(response)
    )
  )

/** `ratio`: the traced share of requests without a trace, from 0 to 1. The router adds the route to the span. */
export const wrap = <R>(app: Effect.Effect<HttpServerResponse, never, R>, ratio: number) =>
  Effect.flatMap(HttpServerRequest, ({ headers, method }) => {
    const parent = Trace.parse(headers["traceparent"])
    const followed = observe(app).pipe(
      Effect.withSpan(method, { parent, kind: "server", attributes: { "http.request.method": method } }),
      Effect.catch(({ response }) => Effect.succeed(response)),
      Effect.withTracerEnabled(true)
    )
    if (parent !== undefined) return parent.sampled ? followed : app
    return Effect.flatMap(
      Random.next,
      (luck): Effect.Effect<HttpServerResponse, never, R> => (luck < ratio ? followed : app)
    )
  })
