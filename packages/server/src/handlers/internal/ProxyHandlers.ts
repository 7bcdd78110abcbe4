/** The proxy: bytes in, bytes out. Every answer carries its call id, also a refusal (service-api 4.2, contract 7). */
import { proxyHeaders } from "@limbeck/api/Brand"
import { statusOf } from "@limbeck/api/ErrorTable"
import { factsOf } from "@limbeck/api/Operation"
import { ProxyApi } from "@limbeck/api/ProxyApi"
import type { Spender } from "@limbeck/billing/limits/TokenUse"
import { TokenUses } from "@limbeck/billing/limits/TokenUses"
import type { CallEndpoint, ServedBy } from "@limbeck/capture/call/CapturedCall"
import * as SplitRules from "@limbeck/capture/dialect/decisions/SplitRules"
import { ProxyLoop } from "@limbeck/capture/Errors"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { LoopGuard } from "@limbeck/capture/upstream/LoopGuard"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Flow from "@limbeck/core/bytes/Flow"
import { invalid, notFound } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Token from "@limbeck/core/tokens/Token"
import { ModelLists } from "@limbeck/serving/proxy/ModelLists"
import * as PassedHeaders from "@limbeck/serving/proxy/PassedHeaders"
import { Proxy } from "@limbeck/serving/proxy/Proxy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import { Exchange } from "../../http/internal/Exchange.ts"
import * as FlowBody from "../../http/internal/FlowBody.ts"
import * as HeaderText from "../../http/internal/HeaderText.ts"
import * as Pipeline from "../../http/internal/Pipeline.ts"
import * as RequestVersion from "../../http/internal/RequestVersion.ts"
import { responsesOf } from "../../http/internal/Routes.ts"
import { ServerSettings } from "../../Settings.ts"
import * as ProxyBody from "./ProxyBody.ts"

const endpoints = ProxyApi.endpoints

type ProxyEndpoint = (typeof endpoints)[keyof typeof endpoints]

/** Some clients append their own `/v1` to the base URL. */
const prefix = /^\/v1\/proxy(?:\/v1)?/

/** The endpoint's path at an upstream, below its base URL. */
const pathBelow = ({ path }: ProxyEndpoint): string => path.replace(prefix, "")

const typeHeader = "content-type"

/** Undefined: the token has no limit of cost. */
const spenderOf = (token: Token.Token): Spender | undefined => {
  const maxMicrosPerDay = token.limits?.maxCostMicrosPerDay
  return maxMicrosPerDay === undefined ? undefined : { use: Token.useIdOf(token), maxMicrosPerDay }
}

/** A response with its own headers. Without an upstream type: an empty one suppresses the default. */
const passAnswer = (answer: UpstreamResponse, headers: Record<string, string>) => {
  const { body, status } = answer
  const isTyped = typeHeader in headers
  if (!isTyped) headers[typeHeader] = ""
  const options = { status, headers }
  const response =
    body._tag === "Whole" && body.bytes.length > 0
      ? HttpServerResponse.uint8Array(body.bytes, options)
      : FlowBody.response(body._tag === "Whole" ? Flow.prepend([]) : body.flow, options)
  return isTyped ? response : HttpServerResponse.removeHeader(response, typeHeader)
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: handlers of one group, which share the names of its headers
export const make = Effect.gen(function* () {
  const proxy = yield* Proxy
  const modelLists = yield* ModelLists
  const loopGuard = yield* LoopGuard
  const ids = yield* Ids
  const uses = yield* TokenUses
  const { brand, proxyBodyBytesMax } = yield* ServerSettings
  const bodies = yield* ProxyBody.make(proxyBodyBytesMax)
  const names = proxyHeaders(brand)
  const { toCaller, toUpstream } = PassedHeaders.of(brand)
  // As requests have them.
  const tagsName = names.tags.toLowerCase()
  const externalIdName = names.externalId.toLowerCase()
  const sourceName = names.source.toLowerCase()

  const labelsOf = (headers: HttpServerRequest["headers"]) => {
    const tags = PassedHeaders.tagsOf(HeaderText.read(headers[tagsName] ?? ""))
    const fault = PassedHeaders.tagsFault(tags)
    if (fault !== undefined) return Result.fail(invalid(names.tags, fault))
    const externalId = HeaderText.read(headers[externalIdName] ?? "")
    return externalId.length > CaptureLimits.externalIdMax
      ? Result.fail(invalid(names.externalId, `An external id has at most ${CaptureLimits.externalIdMax} characters`))
      : Result.succeed({ tags, externalId: externalId === "" ? null : externalId })
  }

  /** Headers common to every response of a call, from any part of the server; returns the call's id. */
  const introduce = ({ headers: sent }: HttpServerRequest, { headers }: Exchange) =>
    Effect.map(ids.make("call"), (id) => {
      // The same bytes go back.
      const externalId = sent[externalIdName] ?? ""
      const isFit = HeaderText.read(externalId).length <= CaptureLimits.externalIdMax
      headers[names.callId] = id
      if (externalId !== "" && isFit) headers[names.externalId] = externalId
      return id
    })

  const callers = (endpoint: ProxyEndpoint) => {
    const facts = factsOf(endpoint.annotations)
    return (request: HttpServerRequest, exchange: Exchange) =>
      Effect.flatMap(Pipeline.identify(request, facts, Pipeline.clientTokenOf), ({ partition, token }) => {
        const admitted = token === undefined ? Effect.void : uses.take(partition.workspace, token)
        return Effect.flatMapEager(admitted, () => {
          const refusal = RequestVersion.refusalOf(exchange, brand)
          if (refusal !== undefined) return Effect.fail(refusal)
          return Effect.flatMapEager(loopGuard.check(request.headers), () =>
            Effect.mapEager(Effect.fromResult(labelsOf(request.headers)), (labels) => ({
              partition,
              labels,
              limits: { allows: token?.limits, spender: token && spenderOf(token) }
            }))
          )
        })
      })
  }

  /** The query passes as it is. */
  const questionOf = (request: HttpServerRequest, { query }: Exchange, path: string) => ({
    target: query === "" ? path : `${path}?${query}`,
    source: request.headers[sourceName] ?? null,
    sourceHeader: names.source,
    headers: toUpstream(request.headers)
  })

  const answered = (answer: UpstreamResponse, servedBy: ServedBy) => {
    const headers = toCaller(answer.headers)
    headers[names.servedBy] = servedBy
    return passAnswer(answer, headers)
  }

  /** A refused loop's response carries the ids of the installations on the request's way. */
  const tellingLoops = <A, E, R>(
    handle: (request: HttpServerRequest, exchange: Exchange) => Effect.Effect<A, E | ProxyLoop, R>
  ) =>
    Effect.contextWith((context: Context.Context<HttpServerRequest | R>) => {
      const request = Context.get(context, HttpServerRequest)
      const exchange = Context.get(context, Exchange)
      return Effect.tapError(handle(request, exchange), (error) => {
        if (error instanceof ProxyLoop && error.fault === "came_back") {
          Object.assign(exchange.headers, loopGuard.refusal(request.headers))
        }
        return Effect.void
      })
    })

  const posted = (endpoint: ProxyEndpoint, name: CallEndpoint) => {
    const caller = callers(endpoint)
    const path = pathBelow(endpoint)
    return tellingLoops(
      Effect.fnUntraced(function* (request, exchange) {
        const id = yield* introduce(request, exchange)
        const { labels, limits, partition } = yield* caller(request, exchange)
        const { body, packed } = yield* bodies.read(request, partition.workspace)
        const answer = yield* proxy.send(partition, {
          ...questionOf(request, exchange, path),
          method: "POST",
          body,
          packed,
          tags: labels.tags,
          externalId: labels.externalId,
          allows: limits.allows,
          spender: limits.spender,
          id,
          endpoint: name,
          isRecorded: true,
          statusOf
        })
        const { attempts, fields, servedBy, source, split } = answer.by
        if (fields !== undefined) exchange.headers[names.fields] = SplitRules.headerOf(fields)
        if (split !== undefined) exchange.headers[names.decisions] = SplitRules.headerOf(split)
        if (attempts !== undefined && source !== null) exchange.headers[names.upstream] = source.name
        return answered(answer, servedBy)
      })
    )
  }

  const counted = (endpoint: ProxyEndpoint) => {
    const caller = callers(endpoint)
    const path = pathBelow(endpoint)
    return tellingLoops(
      Effect.fnUntraced(function* (request, exchange) {
        yield* introduce(request, exchange)
        const { limits, partition } = yield* caller(request, exchange)
        const body = yield* bodies.read(request, partition.workspace)
        const { allows } = limits
        const question = { ...questionOf(request, exchange, path), method: "POST" as const, ...body, allows }
        return answered(yield* proxy.countTokens(partition, question), "upstream")
      })
    )
  }

  const listed = (endpoint: ProxyEndpoint) => {
    const caller = callers(endpoint)
    const path = pathBelow(endpoint)
    return tellingLoops(
      Effect.fnUntraced(function* (request, exchange) {
        yield* introduce(request, exchange)
        const { partition } = yield* caller(request, exchange)
        const question = { ...questionOf(request, exchange, path), method: "GET" as const, body: null }
        const list = yield* modelLists.list(partition, question)
        return "status" in list ? answered(list, "upstream") : HttpServerResponse.jsonUnsafe(list)
      })
    )
  }

  /** Names of models may hold slashes, which are escaped on the way in and on the way out. */
  const callerOfModel = callers(endpoints.model)
  const model = tellingLoops(
    Effect.fnUntraced(function* (request, exchange) {
      yield* introduce(request, exchange)
      const { limits, partition } = yield* callerOfModel(request, exchange)
      const { model: id = "" } = yield* HttpRouter.params
      // `.` and `..` would change the path.
      if (/^\.{1,2}$/.test(id)) return yield* notFound("model", id)
      const path = `${pathBelow(endpoints.models)}/${encodeURIComponent(id)}`
      const { allows } = limits
      const question = { ...questionOf(request, exchange, path), method: "GET" as const, body: null, allows }
      const one = yield* modelLists.one(partition, id, question)
      return "status" in one ? answered(one, "upstream") : HttpServerResponse.jsonUnsafe(one)
    })
  )

  return responsesOf(ProxyApi)({
    chatCompletions: posted(endpoints.chatCompletions, "chat.completions"),
    completions: posted(endpoints.completions, "completions"),
    embeddings: posted(endpoints.embeddings, "embeddings"),
    responses: posted(endpoints.responses, "responses"),
    decisions: posted(endpoints.decisions, "decisions"),
    decisionsAlpha: posted(endpoints.decisionsAlpha, "decisions"),
    systemOne: posted(endpoints.systemOne, "systemone"),
    systemOneV1: posted(endpoints.systemOneV1, "systemone"),
    messages: posted(endpoints.messages, "messages"),
    messagesV1: posted(endpoints.messagesV1, "messages"),
    countTokens: counted(endpoints.countTokens),
    countTokensV1: counted(endpoints.countTokensV1),
    models: listed(endpoints.models),
    modelsV1: listed(endpoints.modelsV1),
    model
  })
})
