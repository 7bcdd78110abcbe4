/** An HTTP app made of handlers and routes, behind one edge. It knows no adapter and no port number. */
import type { IdempotentWrites } from "@limbeck/core/idempotency/IdempotentWrites"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Authentication } from "@limbeck/core/tokens/Authentication"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { Scope } from "effect/Scope"
import * as Edge from "./http/Edge.ts"
import type { RateLimiter } from "./http/RateLimiter.ts"

/** What answers a request, given nothing but the request. */
export type App = Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope>

/** What the pipeline asks for at every request. */
type PipelineServices = Authentication | RateLimiter | IdempotentWrites | Digest | Ids

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
  const services = yield* Effect.context<PipelineServices>()
  // Added to what the server has: merging the two would copy all of that for every request. What a request opens ends with
  // the request, not with the server.
  const app: App = Effect.updateContext(
    Edge.around(router.asHttpEffect()),
    (context: Context.Context<HttpServerRequest | Scope>) =>
      Context.add(services, HttpServerRequest, Context.get(context, HttpServerRequest)).pipe(
        Context.add(Scope, Context.get(context, Scope)),
        Context.add(Edge.BodyEaten, Context.get(context, Edge.BodyEaten))
      )
  )
  return { app } as const
})
