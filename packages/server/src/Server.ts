/** The HTTP app: every route of the contract behind one edge. It knows no adapter and no port number. */
import type { IdempotentWrites } from "@limbeck/core/idempotency/IdempotentWrites"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Authentication } from "@limbeck/core/tokens/Authentication"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Scope } from "effect/Scope"
import * as DatasetHandlers from "./handlers/DatasetHandlers.ts"
import * as EventHandlers from "./handlers/EventHandlers.ts"
import * as HumanOnlyHandlers from "./handlers/HumanOnlyHandlers.ts"
import * as RecipeHandlers from "./handlers/RecipeHandlers.ts"
import * as ReportHandlers from "./handlers/ReportHandlers.ts"
import * as RunHandlers from "./handlers/RunHandlers.ts"
import * as SystemRoutes from "./handlers/SystemRoutes.ts"
import * as TokenHandlers from "./handlers/TokenHandlers.ts"
import * as UploadContentRoute from "./handlers/UploadContentRoute.ts"
import * as UploadHandlers from "./handlers/UploadHandlers.ts"
import * as WebhookHandlers from "./handlers/WebhookHandlers.ts"
import * as WhoamiHandlers from "./handlers/WhoamiHandlers.ts"
import * as Edge from "./http/Edge.ts"
import type { RateLimiter } from "./http/RateLimiter.ts"
import { routesOf } from "./http/Routes.ts"

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

export const make = Effect.gen(function* () {
  const router = yield* Effect.provideService(HttpRouter.make, HttpRouter.RouterConfig, routerConfig)
  yield* router.addAll(
    routesOf({
      whoami: yield* WhoamiHandlers.make,
      tokens: yield* TokenHandlers.make,
      uploads: yield* UploadHandlers.make,
      datasets: yield* DatasetHandlers.make,
      recipes: yield* RecipeHandlers.make,
      runs: yield* RunHandlers.make,
      reports: yield* ReportHandlers.make,
      events: yield* EventHandlers.make,
      webhooks: yield* WebhookHandlers.make,
      human_only: HumanOnlyHandlers.handlers
    })
  )
  yield* router.addAll([yield* UploadContentRoute.make, ...(yield* SystemRoutes.make)])
  const context = yield* Effect.context<PipelineServices>()
  const app: App = Effect.provideContext(Edge.around(router.asHttpEffect()), context)
  return { app } as const
})
