/** The services of the gateway, and the models that rewards ask: the two rooms meet here. */
import { ChatFailure, ChatModels } from "@limbeck/distill/reward/ChatModels"
import * as ChatCompletions from "@limbeck/gateway/chat/ChatCompletions"
import * as Forward from "@limbeck/gateway/proxy/Forward"
import * as Proxy from "@limbeck/gateway/proxy/Proxy"
import * as Catalog from "@limbeck/gateway/source/Catalog"
import * as Sources from "@limbeck/gateway/source/Sources"
import * as Verifications from "@limbeck/gateway/source/Verifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

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

export const services = Layer.mergeAll(Verifications.layer, Proxy.layer, chatModels).pipe(
  Layer.provideMerge(Layer.merge(ChatCompletions.layer, Forward.layer)),
  Layer.provideMerge(Catalog.layer),
  Layer.provideMerge(Sources.layer)
)
