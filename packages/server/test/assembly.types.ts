// TypeScript itself reports these errors, as expected here.
// @effect-diagnostics missingEffectContext:off missingEffectError:off
/**
 * What the compiler refuses. Each `@ts-expect-error` is a server that would start, and fail at a request: `npm run check` fails when one of
 * them compiles. Nothing here runs.
 */
import { contract } from "@limbeck/api/Api"
import { HumanOnlyApi } from "@limbeck/api/HumanOnlyApi"
import { RunStreamApi } from "@limbeck/api/RunsApi"
import * as WebhookApi from "@limbeck/api/WebhookApi"
import type { IdempotentWrites } from "@limbeck/core/idempotency/IdempotentWrites"
import type { Authentication } from "@limbeck/core/tokens/Authentication"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as Host from "@limbeck/webhooks-host/Host"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as App from "../src/App.ts"
import { type Handlers, handlersOf, responsesOf, routesOf, type Tables } from "../src/http/internal/Routes.ts"
import type { RateLimiter } from "../src/http/RateLimiter.ts"
import type * as Server from "../src/Server.ts"
import type * as WebhookServer from "../src/WebhookServer.ts"

type GroupsOf<Api> = Api extends HttpApi.HttpApi<string, infer Groups> ? Groups : never
type All = Tables<GroupsOf<typeof contract.api>>
type OfWebhooks = Tables<GroupsOf<typeof WebhookApi.contract.api>>

/** A group of the contract without handlers: its routes would be 404, and in the OpenAPI document (P133). */
export const groupDropped = (tables: Omit<All, "pulls">) =>
  // @ts-expect-error: `pulls` is missing
  routesOf(contract.api, tables)

export const webhooksDropped = (tables: Omit<OfWebhooks, "webhooks">) =>
  // @ts-expect-error: `webhooks` is missing
  routesOf(WebhookApi.contract.api, tables)

/** The webhook engine alone has to serve its part of the contract only. */
export const part = (tables: OfWebhooks) => routesOf(WebhookApi.contract.api, tables)

// @ts-expect-error: `topUp` is missing
export const endpointDropped = handlersOf(HumanOnlyApi)({ createWorkspace: () => Effect.never })

// @ts-expect-error: `stream` is missing
export const responseDropped = responsesOf(RunStreamApi)({})

class Audit extends Context.Service<Audit, { readonly note: Effect.Effect<void> }>()("Audit") {}
class Refused extends Data.TaggedError("Refused") {}

const nothing = HttpServerResponse.empty()

/** A route that fails with what has no row in the error table (P133). */
export const errorWithoutRow = responsesOf(RunStreamApi)({
  // @ts-expect-error: `Refused` is no error of the contract
  stream: Effect.as(new Refused(), nothing)
})

/** A handler asks for its services when it is made, not at each request. */
export const handlerInNeed = (handlers: Handlers<typeof HumanOnlyApi>): Handlers<typeof HumanOnlyApi> => ({
  ...handlers,
  // @ts-expect-error: `Audit` is missing
  createWorkspace: (input) => Effect.andThen(Audit, handlers.createWorkspace(input))
})

const api = HttpApi.make("service").add(RunStreamApi)
const audited = responsesOf(RunStreamApi)({
  stream: Effect.as(
    Effect.flatMap(Audit, ({ note }) => note),
    nothing
  )
})

/** A service that a route asks for at each request, and that requests do not have (P133). */
// @ts-expect-error: `Audit` is missing
export const unknownToRequests = App.make(routesOf(api, { run_stream: audited }))

const app = Effect.andThen(
  Audit,
  Effect.map(App.make([]), (made) => ({ app: made }))
)

/** A service that a server needs and no layer provides (P133). */
export const serviceMissing = (options: Assembly.AssemblyOptions) =>
  // @ts-expect-error: `Audit` is missing
  Host.open(Assembly.layer(options), app, {})

export const serviceThere = (options: Assembly.AssemblyOptions, audit: Audit["Service"]) =>
  Host.open(Assembly.layer(options), Effect.provideService(app, Audit, audit), {})

type Requires<Make, Service> =
  Make extends Effect.Effect<unknown, unknown, infer Needs> ? ([Service] extends [Needs] ? true : false) : never

/** A server requires the services needed only by a request's pipeline (P133). */
export const needed: Requires<typeof Server.make, RateLimiter | IdempotentWrites | Authentication> = true
export const neededByWebhooks: Requires<typeof WebhookServer.make, RateLimiter | IdempotentWrites | Authentication> =
  true
export const notNeeded: Requires<typeof Server.make, Audit> = false
