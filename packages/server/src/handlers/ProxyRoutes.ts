/** The proxy's routes: bytes in, bytes out. Every answer carries its call id, also a refusal (service-api 4.2, contract 7). */
import { proxyHeaders } from "@limbeck/api/Brand"
import { factsOf } from "@limbeck/api/Operation"
import { ProxyApi } from "@limbeck/api/ProxyApi"
import { invalid } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { CallEndpoint, ServedBy } from "@limbeck/gateway/capture/CapturedCall"
import { Limits } from "@limbeck/gateway/Limits"
import { ModelLists } from "@limbeck/gateway/proxy/ModelLists"
import * as PassedHeaders from "@limbeck/gateway/proxy/PassedHeaders"
import { Proxy } from "@limbeck/gateway/proxy/Proxy"
import type { UpstreamAnswer } from "@limbeck/gateway/upstream/Upstream"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { AnswerHeaders } from "../http/AnswerHeaders.ts"
import * as Pipeline from "../http/Pipeline.ts"
import { route } from "../http/Routes.ts"
import { ServerSettings } from "../Settings.ts"

const endpoints = ProxyApi.endpoints

const posts = [
  ["chat.completions", endpoints.chatCompletions],
  ["embeddings", endpoints.embeddings],
  ["responses", endpoints.responses]
] as const

const prefix = "/v1/proxy"

const searchOf = (url: string): string => {
  const at = url.indexOf("?")
  return at < 0 ? "" : url.slice(at)
}

const nothing = new Uint8Array(0)

/** Sends the head of the answer on its way, before there is any of its body. */
const flush = Stream.succeed(nothing)

const typeHeader = "content-type"

/** Without a type where the upstream said none: an empty one keeps the usual one away. */
const passed = (answer: UpstreamAnswer, shown: Readonly<Record<string, string>>) => {
  const { body, status, whole = nothing } = answer
  const options = { status, headers: { [typeHeader]: "", ...shown } }
  const response =
    whole.length > 0
      ? HttpServerResponse.uint8Array(whole, options)
      : HttpServerResponse.stream("content-length" in shown ? body : Stream.concat(flush, body), options)
  return typeHeader in shown ? response : HttpServerResponse.removeHeader(response, typeHeader)
}

export const make = Effect.gen(function* () {
  const proxy = yield* Proxy
  const modelLists = yield* ModelLists
  const ids = yield* Ids
  const { brand, proxyBodyBytesMax } = yield* ServerSettings
  const names = proxyHeaders(brand)
  const { toCaller, toUpstream } = PassedHeaders.of(brand)
  // As requests have them.
  const tagsName = names.tags.toLowerCase()
  const externalIdName = names.externalId.toLowerCase()
  const sourceName = names.source.toLowerCase()

  const labelsOf = (headers: HttpServerRequest["headers"]) => {
    const tags = PassedHeaders.tagsOf(headers[tagsName] ?? "")
    const fault = PassedHeaders.tagsFault(tags)
    if (fault !== undefined) return Result.fail(invalid(names.tags, fault))
    const externalId = headers[externalIdName] ?? ""
    return externalId.length > Limits.externalIdMax
      ? Result.fail(invalid(names.externalId, `An external id has at most ${Limits.externalIdMax} characters`))
      : Result.succeed({ tags, externalId: externalId === "" ? null : externalId })
  }

  /** Said of this answer, whoever makes it in the end; answers the id. */
  const introduce = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const externalId = request.headers[externalIdName] ?? ""
    const id = yield* ids.make("call")
    const headers = yield* AnswerHeaders
    headers[names.callId] = id
    if (externalId !== "" && externalId.length <= Limits.externalIdMax) headers[names.externalId] = externalId
    return id
  })

  const caller = Effect.fnUntraced(function* (
    request: HttpServerRequest,
    endpoint: (typeof endpoints)[keyof typeof endpoints]
  ) {
    const { partition } = yield* Pipeline.identify(request, factsOf(endpoint.annotations), "recognize")
    yield* Pipeline.checkVersion(request)
    return { partition, labels: yield* Effect.fromResult(labelsOf(request.headers)) }
  })

  const questionOf = (request: HttpServerRequest, path: string) => ({
    target: path.slice(prefix.length) + searchOf(request.url),
    source: request.headers[sourceName] ?? null,
    sourceHeader: names.source,
    headers: toUpstream(request.headers)
  })

  const answered = (answer: UpstreamAnswer, servedBy: ServedBy) =>
    passed(answer, { ...toCaller(answer.headers), [names.servedBy]: servedBy })

  const posted = (endpoint: (typeof posts)[number][1], name: CallEndpoint) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest
      const id = yield* introduce(request)
      const body = yield* Pipeline.readBody(request, proxyBodyBytesMax)
      const { labels, partition } = yield* caller(request, endpoint)
      const question = { ...questionOf(request, endpoint.path), method: "POST" as const, body }
      const answer = yield* proxy.send(partition, { ...question, ...labels, id, endpoint: name })
      return answered(answer, answer.served.servedBy)
    })

  const models = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    yield* introduce(request)
    const { partition } = yield* caller(request, endpoints.models)
    const question = { ...questionOf(request, endpoints.models.path), method: "GET" as const, body: null }
    const list = yield* modelLists.list(partition, question)
    return "status" in list ? answered(list, "upstream") : HttpServerResponse.jsonUnsafe({ object: "list", data: list })
  })

  return [
    ...posts.map(([name, endpoint]) => route("POST", endpoint.path, posted(endpoint, name))),
    route("GET", endpoints.models.path, models)
  ]
})
