/** The services of the gateway, the models that rewards ask, and the deployments of loops: the two rooms meet here. */
import { invalid } from "@limbeck/core/errors/Errors"
import { CallRows } from "@limbeck/distill/dataset/CallRows"
import { KnownDeployments } from "@limbeck/distill/loop/KnownDeployments"
import { ChatFailure, ChatModels } from "@limbeck/distill/reward/ChatModels"
import * as CallRow from "@limbeck/gateway/capture/CallRow"
import { CallStore } from "@limbeck/gateway/capture/CallStore"
import * as Calls from "@limbeck/gateway/capture/Calls"
import * as Feedbacks from "@limbeck/gateway/capture/Feedbacks"
import * as Recorders from "@limbeck/gateway/capture/Recorders"
import * as ChatCompletions from "@limbeck/gateway/chat/ChatCompletions"
import * as Deployments from "@limbeck/gateway/deployment/Deployments"
import * as Serving from "@limbeck/gateway/deployment/Serving"
import * as Forward from "@limbeck/gateway/proxy/Forward"
import * as ModelLists from "@limbeck/gateway/proxy/ModelLists"
import * as Proxy from "@limbeck/gateway/proxy/Proxy"
import * as Catalog from "@limbeck/gateway/source/Catalog"
import * as Sources from "@limbeck/gateway/source/Sources"
import * as Verifications from "@limbeck/gateway/source/Verifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as StudentLayers from "./StudentLayers.ts"

/** Judges ask the sources of their workspace. */
const chatModels: Layer.Layer<ChatModels, never, Sources.Sources | ChatCompletions.ChatCompletions> = Layer.effect(
  ChatModels,
  Effect.gen(function* () {
    const sources = yield* Sources.Sources
    const completions = yield* ChatCompletions.ChatCompletions
    return ChatModels.of({
      hasSource: (partition, source) => Effect.map(sources.resolve(partition, source), Option.isSome),
      complete: (partition, request) =>
        Effect.mapError(
          completions.complete(partition, request),
          ({ message, reason }) => new ChatFailure({ reason, message })
        )
    })
  })
)

const knownDeployments: Layer.Layer<KnownDeployments, never, Deployments.Deployments> = Layer.effect(
  KnownDeployments,
  Effect.map(Deployments.Deployments, ({ latestOf }) => KnownDeployments.of({ latest: latestOf }))
)

/** Versions are made of what somebody else than a student answered. */
const callRows: Layer.Layer<CallRows, never, Sources.Sources | CallStore> = Layer.effect(
  CallRows,
  Effect.gen(function* () {
    const sources = yield* Sources.Sources
    const calls = yield* CallStore
    return CallRows.of({
      resolve: Effect.fnUntraced(function* (partition, filter) {
        if (filter.source === undefined) return filter
        const found = yield* sources.resolve(partition, filter.source)
        if (Option.isNone(found)) return yield* invalid("from.calls.source", `No such source: ${filter.source}`)
        return { ...filter, source: found.value.id }
      }),
      scan: (partition, filter, before) => {
        const rows = calls
          .scan(partition, {
            source: filter.source,
            tags: filter.tags,
            model: filter.model,
            endpoint: "chat.completions",
            outcome: "succeeded",
            servedBy: ["upstream", "shadow", "upstream_fallback"],
            createdAfter: filter.createdAfter ?? null,
            createdBefore: Math.min(before, filter.createdBefore ?? before),
            feedbackMin: filter.minFeedback ?? null
          })
          .pipe(Stream.filterMap((call) => Result.fromNullishOr(CallRow.ofCall(call), () => call.id)))
        return filter.limit === undefined ? rows : Stream.take(rows, filter.limit)
      }
    })
  })
)

export const services = Layer.mergeAll(
  Verifications.layer,
  Proxy.layer,
  ModelLists.layer,
  chatModels,
  callRows,
  Layer.provideMerge(Feedbacks.layer, Calls.layer),
  knownDeployments
).pipe(
  Layer.provideMerge(Serving.layer),
  Layer.provideMerge(Layer.mergeAll(ChatCompletions.layer, Forward.layer, Recorders.layer)),
  Layer.provideMerge(Layer.merge(Catalog.layer, Deployments.layer)),
  Layer.provideMerge(Layer.merge(Sources.layer, StudentLayers.layer))
)
