/** An HTTP app made of handlers and routes, behind one edge. It knows no adapter and no port number. */
import type { IdempotentWrites } from "@limbeck/core/idempotency/IdempotentWrites"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Authentication } from "@limbeck/core/tokens/Authentication"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { Scope } from "effect/Scope"
import * as Edge from "./http/Edge.ts"
import type { RateLimiter } from "./http/RateLimiter.ts"

/** What the pipeline asks for at every request. */
type PipelineServices = Authentication | RateLimiter | IdempotentWrites | Digest | Ids

/** What answers a request, given the request and what the server has. */
export interface App<R = PipelineServices> {
  readonly answer: Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope | R>
  /** Put beneath what each request brings: to merge the two at every request would copy all of it. */
  readonly services: Context.Context<R>
}

/** Ids in paths are opaque texts: a long one is an unknown one, not another route. */
const routerConfig = {
  maxParamLength: 2_000,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: false,
  caseSensitive: true
}

/** Any other route is unknown. */
export const make = Effect.fnUntraced(function* (routes: ReadonlyArray<HttpRouter.Route<never, never>>) {
  const router = yield* Effect.provideService(HttpRouter.make, HttpRouter.RouterConfig, routerConfig)
  yield* router.addAll(routes)
  // What a request opens ends with the request, not with the server.
  const services = Context.omit(Scope)(yield* Effect.context<PipelineServices>())
  const app: App = { answer: Edge.around(router.asHttpEffect()), services }
  return { app } as const
})
