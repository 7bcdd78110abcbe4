/** Turns a contract's endpoints and their handlers into routes. */
import type { ContractError } from "@limbeck/api/ErrorTable"
import { factsOf, type OperationFacts } from "@limbeck/api/Operation"
import { CodingUnsupported, invalid } from "@limbeck/core/errors/Errors"
import * as JsonLists from "@limbeck/core/json/JsonLists"
import * as JsonTexts from "@limbeck/core/json/JsonTexts"
import type { Caller } from "@limbeck/core/tokens/Caller"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as Schema from "effect/Schema"
import * as Decode from "./Decode.ts"
import { Exchange } from "./Exchange.ts"
import * as Pipeline from "./Pipeline.ts"
import * as Query from "./Query.ts"

type Part<S> = [S] extends [never] ? Readonly<Record<string, never>> : S extends Schema.Top ? S["Type"] : never

/** The decoded input of an endpoint's handler. */
interface Input<E extends HttpApiEndpoint.Constraint> {
  readonly caller: Caller
  readonly params: Part<HttpApiEndpoint.Params<E>>
  readonly query: Part<HttpApiEndpoint.Query<E>>
  readonly payload: Part<HttpApiEndpoint.Payload<E>>
  /** The sent body without optional null members. */
  readonly sent: Schema.JsonObject
}

type Output<E extends HttpApiEndpoint.Constraint> = HttpApiEndpoint.Success<E>["Type"]

/** Returns the resource of the contract or its stored text, or a response of its own (a stream). */
type Handler<E extends HttpApiEndpoint.Constraint> = (
  input: Input<E>
) => Effect.Effect<JsonTexts.Writable<Output<E>> | HttpServerResponse.HttpServerResponse, ContractError>

/** One handler per endpoint of a group; one that is missing does not compile. */
export type Handlers<Group> = {
  readonly [E in HttpApiGroup.Endpoints<Group> as E["identifier"]]: Handler<E>
}

/** One effect per endpoint of a group that reads its request by itself and makes the whole response. */
export type Responses<Group, R> = {
  readonly [E in HttpApiGroup.Endpoints<Group> as E["identifier"]]: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    ContractError,
    R
  >
}

/** Names the group of a table of handlers, so that the compiler knows each input. */
export const handlersOf =
  <Group extends HttpApiGroup.Constraint>(_group: Group) =>
  (table: Handlers<Group>): Handlers<Group> =>
    table

/** Names the group of a table of responses; the type keeps their requirements. */
export const responsesOf =
  <Group extends HttpApiGroup.Constraint>(_group: Group) =>
  <const Table extends Responses<Group, unknown>>(
    table: Table
  ): Responses<Group, Effect.Services<Table[keyof Table]>> =>
    // Each effect needs at most the union of all requirements.
    table as Responses<Group, never> as Responses<Group, Effect.Services<Table[keyof Table]>>

/** The untyped view that the routes work with; `Handlers` has checked the types. */
type UntypedHandler = (input: {
  readonly caller: Caller
  readonly params: unknown
  readonly query: unknown
  readonly payload: unknown
  readonly sent: Schema.JsonObject
}) => Effect.Effect<unknown, ContractError>

const firstPayload = (endpoint: HttpApiEndpoint.Top): Schema.Top | undefined =>
  [...endpoint.payload.values()][0]?.schemas[0]

/** The codecs of our contract need no services. */
const decodable = (schema: Schema.Top) => schema as unknown as Decode.Decodable<unknown>

const nothing = Effect.succeed({})
const decodeNothing = () => nothing

const isPlain = (coding = "identity"): boolean => coding.trim().toLowerCase() === "identity"

/** The body parsed as JSON. */
export const bodyOf = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  facts: OperationFacts,
  bytes: Uint8Array
) {
  if (bytes.length === 0 && !facts.bodyOptional) return yield* invalid(null, "The body must be a JSON object")
  if (bytes.length > 0 && !Decode.isJsonType(request.headers["content-type"])) {
    return yield* invalid("Content-Type", "The body must be application/json")
  }
  if (bytes.length > 0 && !isPlain(request.headers["content-encoding"])) {
    return yield* new CodingUnsupported({ coding: request.headers["content-encoding"] ?? "", readable: [] })
  }
  return yield* Decode.jsonObject(bytes)
})

/** A route's requirements of the request. */
type RequestParts = HttpServerRequest | HttpRouter.RouteContext

const askedOf = (context: Context.Context<RequestParts>) => ({
  request: Context.get(context, HttpServerRequest),
  params: Context.get(context, HttpRouter.RouteContext).params,
  exchange: Context.get(context, Exchange)
})

/** The output is not kept, so bytes suffice. */
const serialize = (output: unknown, { version }: Exchange): string | Uint8Array =>
  version === ApiVersions.newest ? JsonLists.of(output) : JsonTexts.of(output)

const privateRoute = (
  endpoint: HttpApiEndpoint.Top,
  facts: OperationFacts,
  status: number,
  handler: UntypedHandler
) => {
  const payloadSchema = firstPayload(endpoint)
  const decodePayload = payloadSchema === undefined ? decodeNothing : Decode.strict(decodable(payloadSchema))
  const decodeQuery = endpoint.query === undefined ? decodeNothing : Decode.lenient(decodable(endpoint.query))
  const hasBody = payloadSchema !== undefined

  const decoded = (sent: Schema.JsonObject, exchange: Exchange) =>
    Effect.flatMapEager(decodePayload(sent), (payload) =>
      Effect.flatMapEager(Effect.flatMapEager(Query.record(exchange.query), decodeQuery), (query) =>
        Effect.succeed({ payload, query })
      )
    )

  /** The shortest path: neither body nor key. */
  const read = Effect.contextWith((context: Context.Context<RequestParts>) => {
    const { exchange, params, request } = askedOf(context)
    return Effect.flatMap(Pipeline.admit(request, facts), (caller) =>
      Effect.flatMap(decoded({}, exchange), ({ payload, query }) =>
        Effect.map(handler({ caller, params, query, payload, sent: {} }), (output) =>
          HttpServerResponse.isHttpServerResponse(output)
            ? output
            : Pipeline.respond({ status, body: serialize(output, exchange), replayed: false }, exchange)
        )
      )
    )
  })

  const write = Effect.gen(function* () {
    const { exchange, params, request } = askedOf(yield* Effect.context<RequestParts>())
    const caller = yield* Pipeline.admit(request, facts)
    const key = yield* Pipeline.idempotencyKey(request, facts)
    const bytes = hasBody ? yield* Pipeline.readBody(request, caller.partition.workspace) : new Uint8Array(0)
    let raw: HttpServerResponse.HttpServerResponse | undefined
    const operation = Effect.gen(function* () {
      const sent = hasBody ? yield* bodyOf(request, facts, bytes) : {}
      const output = yield* handler({ caller, params, ...(yield* decoded(sent, exchange)), sent })
      if (HttpServerResponse.isHttpServerResponse(output)) raw = output
      return { status, body: raw === undefined ? JsonTexts.of(output) : "" }
    })
    const answer = yield* Pipeline.execute({ request, facts, caller, key, body: bytes }, operation)
    return raw ?? Pipeline.respond(answer, exchange)
  })

  return hasBody || facts.idempotency !== "none" ? write : read
}

/** The handlers of a contract's groups; a missing group does not compile. */
export type Tables<Groups extends HttpApiGroup.Constraint> = {
  readonly [Group in Groups as Group["identifier"]]: Handlers<Group> | Responses<Group, unknown>
}

type ServicesOf<Entry> = Entry extends Effect.Effect<unknown, unknown, infer R> ? R : never
/** The tables' requirements, beside the pipeline's. */
type Needs<All> = { readonly [GroupId in keyof All]: ServicesOf<All[GroupId][keyof All[GroupId]]> }[keyof All]

type Response = HttpServerResponse.HttpServerResponse
type HandlerTable<R> = { readonly [Id in string]: UntypedHandler | Effect.Effect<Response, ContractError, R> }

const successStatus = (successes: ReadonlyMap<number, unknown>): number => [...successes.keys()][0] ?? 200

/** The routes of a whole contract, with requirements and failures in their types. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint, const All extends Tables<Groups>>(
  contract: HttpApi.HttpApi<Id, Groups>,
  tables: All
) => {
  type Services = Effect.Services<ReturnType<typeof privateRoute>> | Needs<All>
  const routes: Array<HttpRouter.Route<ContractError, Exclude<Services, HttpRouter.Provided>>> = []
  // Each group and endpoint has its entry by the type of `tables`.
  const served = tables as { readonly [GroupId in string]: HandlerTable<Services> }
  HttpApi.reflect(contract, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations, successes }) => {
      const handler = served[group.identifier]![endpoint.identifier]!
      const facts = factsOf(mergedAnnotations)
      const app: Effect.Effect<Response, ContractError, Services> = Effect.isEffect(handler)
        ? handler
        : privateRoute(endpoint, facts, successStatus(successes), handler)
      routes.push(HttpRouter.route(endpoint.method, endpoint.path as HttpRouter.PathInput, app))
    }
  })
  return routes
}
