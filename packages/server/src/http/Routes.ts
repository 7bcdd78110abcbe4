/** Turns the contract's endpoints and their handlers into routes. */
import { Api } from "@limbeck/api/Api"
import type { ContractError } from "@limbeck/api/ErrorTable"
import { factsOf, type OperationFacts } from "@limbeck/api/Operation"
import { invalid } from "@limbeck/core/errors/Errors"
import type { NotYet } from "@limbeck/core/storage/NotYet"
import type { Caller } from "@limbeck/core/tokens/Authentication"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as Schema from "effect/Schema"
import * as Decode from "./Decode.ts"
import * as Pipeline from "./Pipeline.ts"

type Groups = typeof Api extends HttpApi.HttpApi<string, infer G> ? G : never
type EndpointOf<GroupId extends string, Id extends string> = HttpApiEndpoint.WithIdentifier<
  HttpApiGroup.Endpoints<HttpApiGroup.WithIdentifier<Groups, GroupId>>,
  Id
>
type Part<S> = [S] extends [never] ? Readonly<Record<string, never>> : S extends Schema.Top ? S["Type"] : never

/** What a handler of an endpoint gets, decoded. */
export interface Input<E extends HttpApiEndpoint.Constraint> {
  readonly caller: Caller
  readonly params: Part<HttpApiEndpoint.Params<E>>
  readonly query: Part<HttpApiEndpoint.Query<E>>
  readonly payload: Part<HttpApiEndpoint.Payload<E>>
  /** The body as it was sent. */
  readonly sent: Schema.JsonObject
}

type Output<E extends HttpApiEndpoint.Constraint> = HttpApiEndpoint.Success<E>["Type"]

/** Answers the resource as the contract shows it, or a response of its own (a stream). */
export type Handler<E extends HttpApiEndpoint.Constraint> = (
  input: Input<E>
) => Effect.Effect<Output<E> | HttpServerResponse.HttpServerResponse, ContractError | NotYet<ContractError>>

/** One handler per endpoint of a group; one that is missing does not compile. */
export type Handlers<GroupId extends string> = {
  readonly [E in HttpApiGroup.Endpoints<HttpApiGroup.WithIdentifier<Groups, GroupId>> as E["identifier"]]: Handler<
    EndpointOf<GroupId, E["identifier"]>
  >
}

/** Names the group that a table of handlers serves, so that the compiler knows each one's input. */
export const handlersOf =
  <const GroupId extends Groups["identifier"]>(_group: GroupId) =>
  (table: Handlers<GroupId>): Handlers<GroupId> =>
    table

/** The untyped view that the routes work with; `Handlers` has checked the types. */
type AnyHandler = (input: {
  readonly caller: Caller
  readonly params: unknown
  readonly query: unknown
  readonly payload: unknown
  readonly sent: Schema.JsonObject
}) => Effect.Effect<unknown, ContractError | NotYet<ContractError>>

const firstPayload = (endpoint: HttpApiEndpoint.Top): Schema.Top | undefined =>
  [...endpoint.payload.values()][0]?.schemas[0]

/** The codecs of our contract need no services. */
const decodable = (schema: Schema.Top) => schema as unknown as Decode.Decodable<unknown>

const nothing = () => Effect.succeed({})

const bodyOf = Effect.fnUntraced(function* (request: HttpServerRequest, facts: OperationFacts, bytes: Uint8Array) {
  if (bytes.length === 0 && !facts.bodyOptional) return yield* invalid(null, "The body must be a JSON object")
  if (bytes.length > 0 && !Decode.isJsonType(request.headers["content-type"])) {
    return yield* invalid(null, "The body must be application/json")
  }
  return yield* Decode.jsonObject(bytes)
})

const privateRoute = (endpoint: HttpApiEndpoint.Top, facts: OperationFacts, status: number, handler: AnyHandler) => {
  const payloadSchema = firstPayload(endpoint)
  const decodePayload = payloadSchema === undefined ? nothing : Decode.strict(decodable(payloadSchema))
  const decodeQuery = endpoint.query === undefined ? nothing : Decode.lenient(decodable(endpoint.query))
  const hasBody = payloadSchema !== undefined

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const bytes = hasBody ? yield* Pipeline.readBody(request) : new Uint8Array(0)
    const caller = yield* Pipeline.admit(request, facts)
    const { params } = yield* HttpRouter.RouteContext
    let raw: HttpServerResponse.HttpServerResponse | undefined
    const operation = Effect.gen(function* () {
      const sent = hasBody ? yield* bodyOf(request, facts, bytes) : {}
      const payload = yield* decodePayload(sent)
      const query = yield* Effect.flatMap(Decode.query(request.url), decodeQuery)
      const output = yield* handler({ caller, params, query, payload, sent })
      if (HttpServerResponse.isHttpServerResponse(output)) raw = output
      return { status, body: raw === undefined ? JSON.stringify(output) : "" }
    })
    const answer = yield* Pipeline.execute(request, facts, caller, bytes, operation)
    return raw ?? Pipeline.respond(answer)
  })
}

/** The router need not know what a route asks for, or how it fails: the server provides the one, the edge answers the other. */
export const route = <R>(
  method: HttpApiEndpoint.Top["method"],
  path: HttpRouter.PathInput,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>
): HttpRouter.Route<never, never> => HttpRouter.route(method, path, app as never)

const successStatus = (successes: ReadonlyMap<number, unknown>): number => [...successes.keys()][0] ?? 200

/** The routes of the groups named; every one of their endpoints has a handler by type. */
export const routesOf = (handlers: { readonly [GroupId in string]: Readonly<Record<string, unknown>> }) => {
  const routes: Array<HttpRouter.Route<never, never>> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations, successes }) => {
      const handler = handlers[group.identifier]?.[endpoint.identifier] as AnyHandler | undefined
      if (handler === undefined) return
      const facts = factsOf(mergedAnnotations)
      const app = privateRoute(endpoint, facts, successStatus(successes), handler)
      routes.push(route(endpoint.method, endpoint.path as HttpRouter.PathInput, app))
    }
  })
  return routes
}
