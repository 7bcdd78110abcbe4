/** Which models a client may ask for: those of a source, and what is deployed beside them, in the form that clients know. */

import { UpstreamUnreachable } from "@limbeck/capture/Errors"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { type CallError, Forward } from "@limbeck/capture/source/Forward"
import { type CatalogModel, ModelCatalog } from "@limbeck/capture/source/ModelCatalog"
import type { Source } from "@limbeck/capture/source/Source"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import { notFound } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Deployment, modelOf, modelPrefix } from "../deployment/Deployment.ts"
import { Deployments } from "../deployment/Deployments.ts"
import type { SourceRequest } from "./internal/ProxyCall.ts"

export interface ListedModel {
  readonly id: string
  readonly object: "model"
  /** Seconds. */
  readonly created: number
  readonly owned_by: string
}

export class ModelLists extends Context.Service<
  ModelLists,
  {
    /**
     * Of the source, and then what is deployed. A source's own answer passes as it is where nothing is deployed, or where it
     * is no list. Without any source: what is deployed, if something is.
     */
    readonly list: (
      partition: Partition,
      request: SourceRequest
    ) => Effect.Effect<UpstreamResponse | ReadonlyArray<ListedModel>, CallError, Scope.Scope>
    /** What is deployed under `svc:<alias>` and ready, or else what the source says of the model. */
    readonly one: (
      partition: Partition,
      model: string,
      request: SourceRequest
    ) => Effect.Effect<UpstreamResponse | ListedModel, CallError, Scope.Scope>
  }
>()("@limbeck/serving/proxy/ModelLists") {}

const listed = (id: string, createdAt: number, owner: string): ListedModel => ({
  id,
  object: "model",
  created: Math.floor(createdAt / 1_000),
  owned_by: owner
})

/** One of each alias: it may have a deployment in each mode. It is as old as the first of them. */
const deployedModels = (deployments: ReadonlyArray<Deployment>): ReadonlyArray<ListedModel> => {
  const models = new Map<string, ListedModel>()
  for (const deployment of deployments) {
    if (models.has(deployment.alias)) continue
    models.set(deployment.alias, listed(modelOf(deployment), deployment.createdAt, "deployment"))
  }
  return [...models.values()]
}

const ofCatalog = ({ id, source }: CatalogModel): ListedModel => listed(id, source.createdAt, source.name)

/** Headers that describe the bytes of the upstream's own list. */
const ofOldBytes = new Set(["content-length", "content-encoding", "content-md5", "digest", "etag", "last-modified"])

const isList = (value: unknown): value is Schema.JsonObject & { readonly data: ReadonlyArray<Schema.Json> } =>
  typeof value === "object" && value !== null && "data" in value && Array.isArray(value.data)

/** The upstream's list with `models` behind its own; undefined where it is none. */
const withModels = (bytes: Uint8Array, models: ReadonlyArray<ListedModel>): Uint8Array | undefined => {
  try {
    const list: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isList(list)
      ? new TextEncoder().encode(JSON.stringify({ ...list, data: [...list.data, ...models] }))
      : undefined
  } catch {
    return undefined
  }
}

const unreachable = ({ name }: Source, reason: string) => new UpstreamUnreachable({ kind: "source", name, reason })

const bytesOf = (source: Source, { body }: UpstreamResponse) =>
  Bytes.whole(
    Stream.mapError(body, () => unreachable(source, "broke off its list of models")),
    CaptureLimits.answerBytesMax,
    () => unreachable(source, "has too large a list of models")
  )

const holding = (answer: UpstreamResponse, bytes: Uint8Array): UpstreamResponse => ({
  status: answer.status,
  headers: {
    ...Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !ofOldBytes.has(name))),
    "content-length": String(bytes.length)
  },
  body: Stream.succeed(bytes)
})

const found = (models: ReadonlyArray<ListedModel>, id: string) => {
  const model = models.find((one) => one.id === id)
  return model === undefined ? Effect.fail(notFound("model", id)) : Effect.succeed(model)
}

const make = Effect.gen(function* () {
  const forward = yield* Forward
  const catalog = yield* ModelCatalog
  const deployments = yield* Deployments

  const merged = Effect.fnUntraced(function* (
    source: Source,
    answer: UpstreamResponse,
    ours: ReadonlyArray<ListedModel>
  ) {
    const isPlain = (answer.headers["content-encoding"] ?? "identity") === "identity"
    if (answer.status !== 200 || !isPlain) return answer
    const bytes = yield* bytesOf(source, answer)
    const whole = withModels(bytes, ours)
    return whole === undefined ? { ...answer, body: Stream.succeed(bytes) } : holding(answer, whole)
  })

  const ofSource = Effect.fnUntraced(function* (
    partition: Partition,
    request: SourceRequest,
    ours: ReadonlyArray<ListedModel>
  ): Effect.fn.Return<UpstreamResponse | ReadonlyArray<ListedModel>, CallError, Scope.Scope> {
    const source = yield* forward.sourceOf(partition, request.source, request.sourceHeader)
    if (source.kind === "managed") return [...(yield* catalog.modelsOf(partition, source)).map(ofCatalog), ...ours]
    if (ours.length === 0) return yield* forward.send(partition, source, { ...request, model: null })
    const headers = { ...request.headers, "accept-encoding": "identity" }
    return yield* merged(source, yield* forward.send(partition, source, { ...request, headers, model: null }), ours)
  })

  return ModelLists.of({
    one: Effect.fnUntraced(function* (partition, model, request) {
      if (model.startsWith(modelPrefix)) return yield* found(deployedModels(yield* deployments.ready(partition)), model)
      const source = yield* forward.sourceOf(partition, request.source, request.sourceHeader)
      return source.kind === "managed"
        ? yield* found((yield* catalog.modelsOf(partition, source)).map(ofCatalog), model)
        : yield* forward.send(partition, source, { ...request, model: null })
    }),
    list: Effect.fnUntraced(function* (partition, request) {
      const ours = deployedModels(yield* deployments.ready(partition))
      const all = ofSource(partition, request, ours)
      return request.source === null && ours.length > 0
        ? yield* Effect.catchTag(all, "NoDefaultSource", () => Effect.succeed(ours))
        : yield* all
    })
  })
})

export const layer: Layer.Layer<ModelLists, never, Forward | ModelCatalog | Deployments> = Layer.effect(
  ModelLists,
  make
)
