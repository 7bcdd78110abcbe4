/**
 * A call on its way to a source: found, checked, sent with the source's key, and answered with what the upstream says. Of a
 * `byok` source everything passes as it is; a `managed` one is held to its catalog, and its failures are ours to tell.
 */
import { type InvalidInput, invalid, type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import {
  type GatewayError,
  TeacherModelUnknown,
  TeacherUnavailable,
  UpstreamTimeout,
  UpstreamUnreachable
} from "../Errors.ts"
import { Catalog, type CatalogModel } from "../source/Catalog.ts"
import type { Source } from "../source/Source.ts"
import { Sources } from "../source/Sources.ts"
import { Upstream, type UpstreamAnswer, type UpstreamFailure } from "../upstream/Upstream.ts"

export interface Call {
  /** What follows the source's base URL: a path, and the query if there is one. */
  readonly target: string
  readonly method: "GET" | "POST"
  /** By name or id; null: the default one. */
  readonly source: string | null
  /** The name of the header that says so, for who must mend it. */
  readonly sourceHeader: string
  /** Those that go on to the upstream, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

export type CallError = GatewayError | InvalidInput | NotFound | StorageError

export class Proxy extends Context.Service<
  Proxy,
  {
    /** The upstream's answer, as soon as its head is there; closing the scope breaks it off. Nothing is sent twice. */
    readonly send: (partition: Partition, call: Call) => Effect.Effect<UpstreamAnswer, CallError, Scope.Scope>
    /** The models of the source when it is managed, else null: its upstream is to be asked. */
    readonly catalogOf: (
      partition: Partition,
      call: Pick<Call, "source" | "sourceHeader">
    ) => Effect.Effect<ReadonlyArray<CatalogModel> | null, CallError>
  }
>()("@limbeck/gateway/proxy/Proxy") {}

const decoder = new TextDecoder()

/** The model that a body names, if it is JSON and does; what else it may be is the upstream's business. */
const modelOf = (body: Uint8Array | null): string | null => {
  if (body === null) return null
  try {
    const { model } = Object(JSON.parse(decoder.decode(body)))
    return typeof model === "string" ? model : null
  } catch {
    return null
  }
}

const alias = "svc:"

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A redirect is no answer of a model. */
const failedStatus = (status: number): number => (status < 400 ? 502 : status)

const secondsOf = (retryAfter: string | undefined) =>
  retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {}

const refusalOf = ({ name }: Source, { headers, status }: UpstreamAnswer) =>
  new TeacherUnavailable({
    message: `The models of the source ${name} answered ${status}`,
    status: failedStatus(status),
    ...secondsOf(headers["retry-after"])
  })

const failureOf = ({ kind, name }: Source, { reason }: UpstreamFailure): GatewayError => {
  const late = reason === "timeout"
  const message = late ? `The source ${name} did not answer in time` : `The source ${name} did not answer: ${reason}`
  if (kind === "managed") return new TeacherUnavailable({ message, status: late ? 504 : 502 })
  return late ? new UpstreamTimeout({ message }) : new UpstreamUnreachable({ message })
}

const make = Effect.gen(function* () {
  const sources = yield* Sources
  const catalog = yield* Catalog
  const upstream = yield* Upstream

  const sourceOf = Effect.fnUntraced(function* (
    partition: Partition,
    { source, sourceHeader }: Pick<Call, "source" | "sourceHeader">
  ) {
    const found = yield* sources.resolve(partition, source)
    if (Option.isSome(found)) return found.value
    const message = source === null ? "Name a source: there is no default one" : `No such source: ${source}`
    return yield* invalid(sourceHeader, message)
  })

  const checkModel = Effect.fnUntraced(function* (partition: Partition, source: Source, model: string | null) {
    const models = yield* catalog.modelsOf(partition, source)
    if (models.some(({ id }) => id === model)) return
    const message = model === null ? "The body names no model" : `The source ${source.name} has no model ${model}`
    return yield* new TeacherModelUnknown({ message, param: "model" })
  })

  const send = Effect.fnUntraced(function* (partition: Partition, call: Call) {
    const model = modelOf(call.body)
    if (model?.startsWith(alias)) return yield* notFound("deployment", model)
    const source = yield* sourceOf(partition, call)
    if (source.kind === "managed") yield* checkModel(partition, source, model)
    const credentials = yield* sources.credentials(partition, source)
    const request = {
      livemode: partition.livemode,
      method: call.method,
      url: source.baseUrl + call.target,
      headers: { ...call.headers, ...credentials },
      body: call.body,
      timeoutMillis: source.timeoutMillis
    }
    const answer = yield* Effect.mapError(upstream.open(request), (failure) => failureOf(source, failure))
    if (source.kind === "managed" && !isSuccess(answer.status)) return yield* refusalOf(source, answer)
    return answer
  })

  return Proxy.of({
    send,
    catalogOf: Effect.fnUntraced(function* (partition, call) {
      const source = yield* sourceOf(partition, call)
      return source.kind === "managed" ? yield* catalog.modelsOf(partition, source) : null
    })
  })
})

export const layer: Layer.Layer<Proxy, never, Sources | Catalog | Upstream> = Layer.effect(Proxy, make)
