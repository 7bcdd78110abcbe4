/** An HTTP app made of handlers and routes, behind one edge. It knows no adapter and no port number. */
import type { ContractError } from "@limbeck/api/ErrorTable"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Patience from "@limbeck/core/storage/Patience"
import * as Trace from "@limbeck/core/trace/Trace"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Context from "effect/Context"
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
import { Limits } from "./internal/Limits.ts"
import { ServerSettings } from "./Settings.ts"

/** What answers a request, given the request and what the server has. */
export interface App<R> {
  readonly answer: Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope | R>
  /** Put beneath what each request brings: to merge the two at every request would copy all of it. */
  readonly services: Context.Context<R>
  /** A new request id and the newest version, for a response that is made in front of the app: a page of the dashboard, metrics. */
  readonly responseHeaders: () => Readonly<Record<string, string>>
}

/** What each request gets from its server, from the edge, or from the app. */
type PerRequest = HttpServerRequest | BodyRoom.BodyRoom

/** Ids in paths are opaque texts: a long one is an unknown one, not another route. */
const routerConfig = {
  maxParamLength: 2_000,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: false,
  caseSensitive: true
}

/** Names of models may hold slashes, which clients encode: here they stand behind all that routes tell apart. */
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

/** Making spans is a third of what a small request costs: only a traced request has them. */
const withoutSpans = Context.add(References.TracerEnabled, false)

/**
 * A request puts about ten services of its own on those of the server. Were fewer kept on top, they would be copied together with
 * the server's, of which there are two hundred.
 */
const withRoomOnTop = <R>(services: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(services.mapUnsafe, { maxDepth: 24 })

/** Needs what the routes need; how they fail is rendered at the edge. */
export const make = Effect.fnUntraced(function* <R>(routes: ReadonlyArray<HttpRouter.Route<ContractError, R>>) {
  const router = yield* Effect.provideService(HttpRouter.make, HttpRouter.RouterConfig, routerConfig)
  // The router forgets what its routes need: it is asked for here.
  yield* router.addAll(routes as ReadonlyArray<HttpRouter.Route<never, never>>)
  const settings = yield* ServerSettings
  const room = BodyRoom.make(settings.bodiesBytesMax)
  const server = yield* Effect.context<Exclude<R, PerRequest> | Ids>()
  const services = Context.omit(Scope)(server).pipe(
    // What a request opens ends with the request, not with the server.
    Context.add(BodyRoom.BodyRoom, room),
    withoutSpans,
    // A client waits for the answer.
    Patience.ofRequests,
    withRoomOnTop
  )
  const ids = yield* Ids
  const answer = Edge.around(byPath(router.asHttpEffect()), ids, settings)
  const run = Effect.runSyncWith(server)
  return {
    answer: Trace.isKept(server) ? Traced.around(answer, yield* Trace.SampleRatio) : answer,
    services,
    responseHeaders: () => Edge.headersOf(run(ids.make("req")), ApiVersions.newest, settings)
  }
})
