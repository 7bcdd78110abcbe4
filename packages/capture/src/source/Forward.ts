/**
 * Sends a call to its source with the source's key, and returns the upstream's answer. A `byok` source's answers pass
 * unchanged; a `managed` source is held to its catalog, with our own errors.
 */
import { CallHolds } from "@limbeck/billing/calls/CallHolds"
import { CallUnpriced, type DayCostReached, type QuotaExceeded } from "@limbeck/billing/Errors"
import type { Spender } from "@limbeck/billing/limits/TokenUse"
import { TokenUses } from "@limbeck/billing/limits/TokenUses"
import {
  type InvalidInput,
  type NotFound,
  type PermissionDenied,
  type ReferenceUnknown,
  referenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { CallEndpoint } from "../call/CapturedCall.ts"
import * as DialectRules from "../dialect/DialectRules.ts"
import {
  type GatewayError,
  NoDefaultSource,
  ProxyLoop,
  TeacherModelUnknown,
  TeacherRefused,
  TeacherTimeout,
  TeacherUnreachable,
  UpstreamTimeout,
  UpstreamUnreachable
} from "../Errors.ts"
import * as PriceList from "../price/PriceList.ts"
import { isSuccess, loopReason, Upstream, type UpstreamFailure, type UpstreamResponse } from "../upstream/Upstream.ts"
import * as CallEstimate from "./CallEstimate.ts"
import { ModelCatalog } from "./ModelCatalog.ts"
import * as RequestRules from "./RequestRules.ts"
import type * as Source from "./Source.ts"
import { Sources } from "./Sources.ts"

/** What a client sent in place of a plain body. */
export interface PackedBody {
  /** The exact plain body of the bytes: a changed body must be sent plain. */
  readonly plain: Uint8Array
  readonly bytes: Uint8Array
  /** As `Content-Encoding` says it. */
  readonly contentEncoding: string
}

/** A request of a client on its way to a source. */
export interface ModelRequest {
  /** The part of the URL behind the base URL: a path, and possibly a query. */
  readonly target: string
  readonly method: "GET" | "POST"
  /** Those that go on to the upstream, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Unpacked: what decides on the call reads this. */
  readonly body: Uint8Array | null
  /** The client's packed bytes of `body`. Absent for a plain body. */
  readonly packed?: PackedBody | undefined
  /** The model that the body names; null where it names none. */
  readonly model: string | null
  /** The id of the captured call. Absent for a request without a call to end, for which no money can be held. */
  readonly call?: string
  readonly endpoint?: CallEndpoint
  /** Who pays within a limit of a day. Absent: no limit. */
  readonly spender?: Spender | undefined
}

export type CallError =
  | QuotaExceeded
  | DayCostReached
  | CallUnpriced
  | GatewayError
  | NoDefaultSource
  | ReferenceUnknown
  | InvalidInput
  | NotFound
  | PermissionDenied
  | StorageError

export class Forward extends Context.Service<
  Forward,
  {
    /** By name or id; null: the default one. None is refused on `param`. */
    readonly sourceOf: (
      partition: Partition,
      nameOrId: string | null,
      param: string
    ) => Effect.Effect<Source.Source, ReferenceUnknown | NoDefaultSource | StorageError>
    /** The upstream's answer, returned at its head; closing the scope aborts it. Sends nothing twice. */
    readonly send: (
      partition: Partition,
      source: Source.Source,
      request: ModelRequest
    ) => Effect.Effect<UpstreamResponse, CallError, Scope.Scope>
  }
>()("@limbeck/capture/source/Forward") {}

const isPlain = {}

/** The client's own bytes, as long as the body is unchanged. */
const sentBodyOf = ({ body, packed }: ModelRequest) =>
  packed !== undefined && packed.plain === body
    ? { body: packed.bytes, coding: { "content-encoding": packed.contentEncoding } }
    : { body, coding: isPlain }

const secondsOf = (retryAfter: string | undefined) =>
  retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {}

const refusalOf = ({ name }: Source.Source, { headers, status }: UpstreamResponse) =>
  new TeacherRefused({ source: name, upstreamStatus: status, ...secondsOf(headers["retry-after"]) })

/** The failure of a source that gave no answer. */
export const failureOf = ({ kind, name }: Source.Source, { reason }: UpstreamFailure): GatewayError => {
  if (reason === loopReason) return new ProxyLoop({ fault: "came_back", proxies: 1 })
  const isLate = reason === "timeout"
  if (kind === "managed") {
    return isLate ? new TeacherTimeout({ source: name }) : new TeacherUnreachable({ source: name, reason })
  }
  return isLate
    ? new UpstreamTimeout({ kind: "source", name })
    : new UpstreamUnreachable({ kind: "source", name, reason: `did not answer: ${reason}` })
}

const missing = (nameOrId: string | null, param: string): NoDefaultSource | ReferenceUnknown =>
  nameOrId === null ? new NoDefaultSource({ field: param }) : referenceUnknown("source", nameOrId, param)

const costMax = Effect.fnUntraced(function* (
  model: CallEstimate.PricedModel,
  endpoint: CallEndpoint,
  body: Uint8Array,
  members: RequestRules.RequestMembers
) {
  const bounds = yield* Effect.flatMap(Turns.run(RequestRules.boundsOf(endpoint, members)), Effect.fromResult)
  return CallEstimate.costMax(model, endpoint, body.length, bounds)
})

const make = Effect.gen(function* () {
  const sources = yield* Sources
  const catalog = yield* ModelCatalog
  const upstream = yield* Upstream
  const holds = yield* CallHolds
  const uses = yield* TokenUses
  const list = yield* PriceList.PriceList

  const checkModel = Effect.fnUntraced(function* (partition: Partition, source: Source.Source, model: string | null) {
    const models = yield* catalog.modelsOf(partition, source)
    return models.find(({ id }) => id === model) ?? (yield* new TeacherModelUnknown({ source: source.name, model }))
  })

  /** Holds a managed source to its catalog and, for what is charged, the caller to its balance. */
  const checkManaged = Effect.fnUntraced(function* (
    partition: Partition,
    source: Source.Source,
    request: ModelRequest
  ) {
    const model = yield* checkModel(partition, source, request.model)
    const { body, call, endpoint } = request
    if (body === null) return
    const members = yield* Effect.flatMap(Turns.run(RequestRules.membersOf(body)), Effect.fromResult)
    if (call === undefined || endpoint === undefined || !holds.binds(partition)) return
    const micros = yield* costMax(model, endpoint, body, members)
    if (micros > 0) yield* holds.admit(partition, call, micros)
  })

  const pricedModel = (partition: Partition, source: Source.Source, model: string | null) =>
    source.kind === "managed"
      ? checkModel(partition, source, model)
      : Effect.sync(() => PriceList.of(list.current(), source, model ?? ""))

  /** Holds a token with a limit of cost to it. */
  const checkSpender = Effect.fnUntraced(function* (
    partition: Partition,
    source: Source.Source,
    { body, call, endpoint, model, spender }: ModelRequest
  ) {
    if (spender === undefined || body === null || call === undefined || endpoint === undefined) return
    const priced = yield* pricedModel(partition, source, model)
    if (!CallEstimate.isPriced(priced, endpoint)) return yield* new CallUnpriced({ source: source.name, model })
    const members = yield* Effect.flatMap(Turns.run(RequestRules.membersOf(body)), Effect.fromResult)
    yield* uses.reserve(partition.workspace, spender, call, yield* costMax(priced, endpoint, body, members))
  })

  const send = (partition: Partition, source: Source.Source, asked: ModelRequest) =>
    Effect.flatMapEager(sources.credentials(partition, source), (credentials) => {
      const { body, coding } = sentBodyOf(asked)
      const request = {
        livemode: partition.livemode,
        method: asked.method,
        url: source.baseUrl + asked.target,
        headers: { ...DialectRules.requiredHeaders(source.dialect), ...asked.headers, ...coding, ...credentials },
        body,
        timeoutMillis: source.timeoutMillis
      }
      return Effect.mapError(upstream.open(request), (failure) => failureOf(source, failure))
    })

  const sendManaged = (partition: Partition, source: Source.Source, asked: ModelRequest) =>
    Effect.flatMap(send(partition, source, asked), (answer) =>
      isSuccess(answer.status) ? Effect.succeed(answer) : Effect.fail(refusalOf(source, answer))
    )

  return Forward.of({
    sourceOf: (partition, nameOrId, param) =>
      Effect.flatMap(sources.recall(partition, nameOrId), (found) =>
        Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(missing(nameOrId, param))
      ),
    send: (partition, source, asked) => {
      const sent =
        source.kind === "managed"
          ? Effect.andThen(checkManaged(partition, source, asked), sendManaged(partition, source, asked))
          : send(partition, source, asked)
      return asked.spender === undefined ? sent : Effect.andThen(checkSpender(partition, source, asked), sent)
    }
  })
})

export const layer: Layer.Layer<Forward, never, Sources | ModelCatalog | Upstream | CallHolds | TokenUses> =
  Layer.effect(Forward, make)
