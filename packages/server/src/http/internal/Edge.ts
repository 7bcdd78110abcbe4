/**
 * The outermost layer of every answer: a request id, the version header, and one place that turns whatever went wrong into
 * the envelope. A defect is a 500 without internals; its whole cause goes to the log under the request id.
 */
import { proxyHeaders, versionHeader, wire } from "@limbeck/api/Brand"
import {
  type ContractError,
  defectClass,
  type ErrorEnvelope,
  errorTable,
  render,
  statusOf
} from "@limbeck/api/ErrorTable"
import { makeOverloaded, notFound } from "@limbeck/core/errors/Errors"
import type { RequestId } from "@limbeck/core/ids/Id"
import type { Ids } from "@limbeck/core/ids/Ids"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpServerError from "effect/http/HttpServerError"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as References from "effect/References"
import { Limits } from "../../internal/Limits.ts"
import type { ServerSettings } from "../../Settings.ts"
import { browserHeaders, noStoreHeaders } from "../AnswerHeaders.ts"
import { rateHeaders } from "../RateLimiter.ts"
import { Exchange } from "./Exchange.ts"
import * as Query from "./Query.ts"
import * as RequestVersion from "./RequestVersion.ts"
import * as StorageOutage from "./StorageOutage.ts"

/**
 * What keeps a mount from having its requests served: somebody has read their bodies before us, or their connections are too
 * many. The mount that knows says so.
 */
export const Hindrance = Context.Reference<"body eaten" | "no room" | null>("@limbeck/server/http/Hindrance", {
  defaultValue: () => null
})

type Response = HttpServerResponse.HttpServerResponse

const isContractError = (error: unknown): error is ContractError =>
  typeof error === "object" && error !== null && "_tag" in error && String(error._tag) in errorTable

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json", headers })

/** After so long an outage may be over; a client that asks more often learns nothing. */
const storageRetrySeconds = 2

/** Advice for a write with an unknown outcome. A proxy call writes no data of its client. */
const storageMessage = (request: HttpServerRequest): string | undefined => {
  if (["GET", "HEAD"].includes(request.method) || pathOf(request).startsWith("/v1/proxy/")) return undefined
  const unknown = "Storage did not answer; the outcome of the write is unknown"
  return request.headers[wire.idempotencyKey.toLowerCase()] === undefined
    ? unknown
    : `${unknown}, retry with the same Idempotency-Key`
}

const errorHeaders = (error: ContractError, { rateLimit }: ServerSettings): Readonly<Record<string, string>> => {
  // The rest of the body will not be read.
  if (error._tag === "RequestTimeout") return { connection: "close" }
  if (error._tag === "Unauthenticated" || error._tag === "SignInRefused") return { "www-authenticate": "Bearer" }
  if (error._tag === "StorageError") return { "retry-after": String(storageRetrySeconds) }
  if (!("retryAfterSeconds" in error) || error.retryAfterSeconds === undefined) return {}
  const wait = { "retry-after": String(Math.ceil(error.retryAfterSeconds)) }
  return error._tag === "RateLimited" && rateLimit !== null ? { ...rateHeaders(rateLimit, 0), ...wait } : wait
}

/** Without what may be a capability: the query, and the token of a shared report. */
const pathOf = (request: HttpServerRequest): string => {
  const [path] = Query.split(request.url)
  const shown = path.length > Limits.shownPathMax ? `${path.slice(0, Limits.shownPathMax)}…` : path
  return shown.replace(/(\/shared\/reports\/)[^/]+/, "$1…")
}

const known = (error: unknown, request: HttpServerRequest): ContractError | undefined => {
  if (isContractError(error)) return error
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    return notFound("route", `${request.method} ${pathOf(request)}`)
  }
  return undefined
}

const messagesRoute = /^\/v1\/proxy(?:\/v1)?\/messages(?:\/|$)/

/** Anthropic's clients read an error by `type` beside `error`. */
const shownTo = (request: HttpServerRequest, envelope: ErrorEnvelope): unknown =>
  messagesRoute.test(Query.split(request.url)[0]) ? { type: "error", ...envelope } : envelope

const ourFault = (request: HttpServerRequest, id: RequestId, message: string): Response => {
  const { code, status, type } = defectClass
  return json(status, shownTo(request, { error: { type, code, message, param: null, request_id: id } }))
}

const defectMessage = "Something went wrong on our side; the request id names it in our log"
const eatenMessage =
  "The request body was read before it reached this handler: mount it before body parsers such as express.json()"

const answerFailure = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest,
  id: RequestId,
  settings: ServerSettings,
  reportOutage: StorageOutage.Report
) => {
  const error = known(Cause.squash(cause), request)
  if (error === undefined) {
    return Effect.as(
      Effect.annotateLogs(Effect.logError("request_defect", cause), { path: pathOf(request) }),
      ourFault(request, id, defectMessage)
    )
  }
  const message = error._tag === "StorageError" ? storageMessage(request) : undefined
  const envelope = shownTo(request, render(error, id, message))
  const answer = json(statusOf(error), envelope, errorHeaders(error, settings))
  return error._tag === "StorageError" ? Effect.as(reportOutage(error, id), answer) : Effect.succeed(answer)
}

/** What a browser's script may read of an answer, beside its body. */
const exposedHeaders = (brand: string) => [
  wire.requestId,
  versionHeader(brand),
  wire.idempotentReplayed,
  "Retry-After",
  "RateLimit",
  ...Object.values(proxyHeaders(brand))
]

/** Admits browsers of these origins; without origins, sends no CORS headers (contract 1). */
const cors = <E, R>({ brand, corsOrigins: origins }: ServerSettings, app: Effect.Effect<Response, E, R>) =>
  origins.length === 0
    ? app
    : HttpMiddleware.cors({
        allowedOrigins: (origin) => origins.includes(origin),
        exposedHeaders: exposedHeaders(brand),
        maxAge: 600
      })(app)

/** The headers of every response. */
export const headersOf = (
  id: RequestId,
  version: string,
  { brand, publicUrl }: ServerSettings
): Readonly<Record<string, string>> => ({
  ...browserHeaders(publicUrl),
  [wire.requestId]: id,
  [versionHeader(brand)]: version
})

/** Wraps the router's app: every response has an id, and nothing fails. Parts common to all requests are built here, once. */
export const wrap = <R>(app: Effect.Effect<Response, unknown, R>, ids: Ids["Service"], settings: ServerSettings) => {
  const reportOutage = StorageOutage.make()
  const versionName = versionHeader(settings.brand)
  const versionKey = versionName.toLowerCase()
  const fixedHeaders = browserHeaders(settings.publicUrl)
  const unstoredHeaders = { ...fixedHeaders, ...noStoreHeaders }
  const full = Effect.fail(makeOverloaded("connections"))

  const answering = (
    hindrance: (typeof Hindrance)["Service"],
    request: HttpServerRequest,
    id: RequestId
  ): Effect.Effect<Response, unknown, R> => {
    if (hindrance === null) return app
    return hindrance === "no room" ? full : Effect.succeed(ourFault(request, id, eatenMessage))
  }

  const answered = (context: Context.Context<HttpServerRequest | R>, id: RequestId) => {
    const request = Context.get(context, HttpServerRequest)
    const namedVersion = request.headers[versionKey]
    const version = RequestVersion.of(namedVersion)
    const headers: Record<string, string> = {}
    const answer = Effect.catchCause(answering(Context.get(context, Hindrance), request, id), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? // The client has left: nobody needs a response, and the server must see the interruption.
          Effect.failCause(cause as Cause.Cause<never>)
        : answerFailure(cause, request, id, settings, reportOutage)
    )
    const exchange = { query: Query.split(request.url)[1], namedVersion, version, headers }
    const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request_id: id }
    // Added on top: merging two contexts would copy every service.
    const told = (services: Context.Context<HttpServerRequest | R>) =>
      Context.add(Context.add(services, Exchange, exchange), References.CurrentLogAnnotations, annotations)
    return Effect.map(Effect.updateContext(cors(settings, answer), told), (response) => {
      headers[wire.requestId] = id
      headers[versionName] = version
      Object.assign(headers, response.headers["cache-control"] === undefined ? unstoredHeaders : fixedHeaders)
      return HttpServerResponse.setHeaders(response, headers)
    })
  }

  return Effect.flatMap(ids.make("req"), (id) =>
    Effect.contextWith((context: Context.Context<HttpServerRequest | R>) => answered(context, id))
  )
}
