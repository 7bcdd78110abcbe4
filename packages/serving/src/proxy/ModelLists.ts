/** The models available to a client: a source's and deployed ones, in the form that clients expect. */

import { UpstreamUnreachable } from "@limbeck/capture/Errors"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { type CallError, Forward } from "@limbeck/capture/source/Forward"
import { ModelCatalog } from "@limbeck/capture/source/ModelCatalog"
import type { Source } from "@limbeck/capture/source/Source"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import * as Flow from "@limbeck/core/bytes/Flow"
import { notFound } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as TokenLimitRules from "@limbeck/core/tokens/TokenLimitRules"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { modelPrefix } from "../deployment/Deployment.ts"
import { Deployments } from "../deployment/Deployments.ts"
import * as ListedModels from "./internal/ListedModels.ts"
import type { SourceRequest } from "./internal/ProxyCall.ts"

export class ModelLists extends Context.Service<
  ModelLists,
  {
    /**
     * The models of the source and then of deployments, in one form for all clients. An upstream's response other than a
     * list passes unchanged. Without any source the list has the models of deployments; with neither the call fails.
     */
    readonly list: (
      partition: Partition,
      request: SourceRequest
    ) => Effect.Effect<UpstreamResponse | ListedModels.ModelList, CallError, Scope.Scope>
    /** The ready deployment `svc:<alias>`, or else the source's response about the model. */
    readonly one: (
      partition: Partition,
      model: string,
      request: SourceRequest
    ) => Effect.Effect<UpstreamResponse | ListedModels.ListedModel, CallError, Scope.Scope>
  }
>()("@limbeck/serving/proxy/ModelLists") {}

/** Headers that describe the bytes of the upstream's own list. */
const ofOldBytes = new Set(["content-length", "content-encoding", "content-md5", "digest", "etag", "last-modified"])

/** The upstream's entries; undefined for a response other than a list. */
const entriesIn = (bytes: Uint8Array, owner: string): ReadonlyArray<ListedModels.ListedModel> | undefined => {
  try {
    return ListedModels.entriesOf(JSON.parse(new TextDecoder().decode(bytes)), owner)
  } catch {
    return undefined
  }
}

/** Anthropic's pages have 20 models by default and 1,000 at most. */
const targetOf = ({ dialect }: Source, { target }: SourceRequest): string =>
  dialect === "anthropic" ? "/models?limit=1000" : target

const encoder = new TextEncoder()

const unreachable = ({ name }: Source, reason: string) => new UpstreamUnreachable({ kind: "source", name, reason })

const bytesOf = (source: Source, { body }: UpstreamResponse) =>
  Bytes.whole(
    Stream.mapError(Body.toStream(body), () => unreachable(source, "broke off its list of models")),
    CaptureLimits.answerBytesMax,
    () => unreachable(source, "has too large a list of models")
  )

const holding = (answer: UpstreamResponse, bytes: Uint8Array): UpstreamResponse => ({
  status: answer.status,
  headers: {
    ...Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !ofOldBytes.has(name))),
    // Some servers name no type, and clients then read no list.
    "content-type": "application/json",
    "content-length": String(bytes.length)
  },
  body: Body.whole(bytes)
})

const found = (models: ReadonlyArray<ListedModels.ListedModel>, id: string) => {
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
    ours: ReadonlyArray<ListedModels.ListedModel>
  ) {
    const isPlain = (answer.headers["content-encoding"] ?? "identity") === "identity"
    if (answer.status !== 200 || !isPlain) return answer
    const bytes = yield* bytesOf(source, answer)
    const theirs = entriesIn(bytes, source.name)
    if (theirs === undefined) return { ...answer, body: Body.flowing(Flow.prepend([bytes])) }
    return holding(answer, encoder.encode(JSON.stringify(ListedModels.listOf([...theirs, ...ours]))))
  })

  const ofSource = Effect.fnUntraced(function* (
    partition: Partition,
    request: SourceRequest,
    ours: ReadonlyArray<ListedModels.ListedModel>
  ): Effect.fn.Return<UpstreamResponse | ListedModels.ModelList, CallError, Scope.Scope> {
    const source = yield* forward.sourceOf(partition, request.source, request.sourceHeader)
    if (source.kind === "managed") {
      const models = yield* catalog.modelsOf(partition, source)
      return ListedModels.listOf([...models.map(ListedModels.ofCatalog), ...ours])
    }
    const headers = { ...request.headers, "accept-encoding": "identity" }
    const asked = { ...request, target: targetOf(source, request), headers, model: null }
    return yield* merged(source, yield* forward.send(partition, source, asked), ours)
  })

  return ModelLists.of({
    one: Effect.fnUntraced(function* (partition, model, request) {
      const unallowed = TokenLimitRules.modelRefusal(request.allows, model)
      if (unallowed !== undefined) return yield* unallowed
      if (model.startsWith(modelPrefix))
        return yield* found(ListedModels.ofDeployments(yield* deployments.ready(partition)), model)
      const source = yield* forward.sourceOf(partition, request.source, request.sourceHeader)
      return source.kind === "managed"
        ? yield* found((yield* catalog.modelsOf(partition, source)).map(ListedModels.ofCatalog), model)
        : yield* forward.send(partition, source, { ...request, model: null })
    }),
    list: Effect.fnUntraced(function* (partition, request) {
      const ours = ListedModels.ofDeployments(yield* deployments.ready(partition))
      const all = ofSource(partition, request, ours)
      return request.source === null && ours.length > 0
        ? yield* Effect.catchTag(all, "NoDefaultSource", () => Effect.succeed(ListedModels.listOf(ours)))
        : yield* all
    })
  })
})

export const layer: Layer.Layer<ModelLists, never, Forward | ModelCatalog | Deployments> = Layer.effect(
  ModelLists,
  make
)
