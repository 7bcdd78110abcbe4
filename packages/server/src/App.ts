/** An HTTP app made of handlers and routes, behind one edge. It knows no adapter and no port number. */
import type { ContractError } from "@limbeck/api/ErrorTable"
import { IdempotentWrites } from "@limbeck/core/idempotency/IdempotentWrites"
import { Ids } from "@limbeck/core/ids/Ids"
import { Sessions } from "@limbeck/core/people/Sessions"
import * as Patience from "@limbeck/core/storage/Patience"
import { Authentication } from "@limbeck/core/tokens/Authentication"
import * as Trace from "@limbeck/core/trace/Trace"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as References from "effect/References"
import { Scope } from "effect/Scope"
import * as BodyRoom from "./http/internal/BodyRoom.ts"
import * as Edge from "./http/internal/Edge.ts"
import * as Query from "./http/internal/Query.ts"
import * as Traced from "./http/internal/Traced.ts"
import { RateLimiter } from "./http/RateLimiter.ts"
import { Limits } from "./internal/Limits.ts"
import { ServerSettings } from "./Settings.ts"

/** What answers a request, given the request and what the server has. */
export interface App<R> {
  readonly answer: Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope | R>
  /** The services of every request. Services of the single request are added to these. */
  readonly services: Context.Context<R>
  /** A new request id and the newest version, for a response that is made in front of the app: a page of the dashboard, metrics. */
  readonly responseHeaders: () => Readonly<Record<string, string>>
}

/** The services that the pipeline and the routes ask for at each request. A route that asks for another does not compile. */
const requestServices = [Authentication, Digest, IdempotentWrites, Ids, RateLimiter, Sessions] as const
type RequestServices = Context.Service.Identifier<(typeof requestServices)[number]>

/** What a route may ask for: the services above, and what the app or the edge adds. */
type Needs = RequestServices | HttpServerRequest | BodyRoom.BodyRoom

/** Ids in paths are opaque texts: a long id is an unknown id, not another route. */
const routerConfig = {
  maxParamLength: 2_000,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: false,
  caseSensitive: true
}

/** Model names may hold encoded slashes; the model is the last part of its path. */
const modelPath = /^\/v1\/proxy\/models\/(?:[^%;#/]|%2F)+$/i

/** Any other route is unknown. */
const unknownRoute = (request: HttpServerRequest) =>
  Effect.fail(new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) }))

/**
 * The router gets the path alone: it would decode the whole query, before the caller is known. Paths and ids are plain: one that
 * has an encoded character, a `;` or a `#` could pass the path rules of a server in front and mean a route of ours.
 */
const byPath = <E, R>(routed: Effect.Effect<HttpServerResponse, E, R>) =>
  Effect.flatMap(
    HttpServerRequest,
    (request): Effect.Effect<HttpServerResponse, E | HttpServerError.HttpServerError, R> => {
      const [path] = Query.split(request.url)
      if (path.length > Limits.pathMax || (/[%;#]/.test(path) && !modelPath.test(path))) return unknownRoute(request)
      return path.length === request.url.length
        ? routed
        : Effect.provideService(routed, HttpServerRequest, request.modify({ url: path }))
    }
  )

/** Spans make up a third of a small request's cost: only traced requests have them. */
const withoutSpans = Context.add(References.TracerEnabled, false)

const requestKeys: ReadonlySet<string> = new Set([...requestServices, ServerSettings].map(({ key }) => key))

/**
 * Of a server's services those of its requests: what the routes name, the settings, and what Effect reads by itself, such as a
 * clock or a tracer. Handlers got theirs when they were made. What a request opens ends with it, so the server's scope stays out.
 */
const ofRequests = (server: Context.Context<RequestServices>): Context.Context<RequestServices> => {
  const isKept = (key: string) => requestKeys.has(key) || (key.startsWith("effect/") && key !== Scope.key)
  return Context.makeUnsafe(new Map([...server.mapUnsafe].filter(([key]) => isKept(key))))
}

/** One flat map, on which a request puts its own services: at a greater depth than this, Effect would copy the map for the request. */
const flatten = <R>(services: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(services.mapUnsafe, { maxDepth: Limits.requestServicesMax })

/** Needs what the routes need; how they fail is rendered at the edge. */
export const make = Effect.fnUntraced(function* (routes: ReadonlyArray<HttpRouter.Route<ContractError, Needs>>) {
  const router = yield* Effect.provideService(HttpRouter.make, HttpRouter.RouterConfig, routerConfig)
  // The router forgets what its routes need: it is asked for here.
  yield* router.addAll(routes as ReadonlyArray<HttpRouter.Route<never, never>>)
  const settings = yield* ServerSettings
  const server = yield* Effect.context<RequestServices>()
  const services = ofRequests(server).pipe(
    Context.add(BodyRoom.BodyRoom, BodyRoom.make(settings.bodiesBytesMax)),
    withoutSpans,
    // A client waits for the answer.
    Patience.ofRequests,
    flatten
  )
  const ids = yield* Ids
  const answer = Edge.wrap(byPath(router.asHttpEffect()), ids, settings)
  const run = Effect.runSyncWith(server)
  return {
    answer: Trace.isKept(server) ? Traced.wrap(answer, yield* Trace.SampleRatio) : answer,
    services,
    responseHeaders: () => Edge.headersOf(run(ids.make("req")), ApiVersions.newest, settings)
  }
})
