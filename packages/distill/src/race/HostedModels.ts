/** Models of sources for candidates of an evaluation and for embeddings of a training. */
import { SourceChat } from "@limbeck/capture/source/SourceChat"
import type { SourceModelChat } from "@limbeck/capture/source/SourceQuestion"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type { Candidate } from "../recipe/Recipe.ts"

export {
  type ChatQuestion,
  type ReplyCost,
  SourceChatFailure,
  type SourceModel,
  type SourceModelChat,
  type SourceModelEmbeddings
} from "@limbeck/capture/source/SourceQuestion"

export class HostedModels extends Context.Service<
  HostedModels,
  {
    /** None: there is no such source. */
    readonly open: (
      partition: Partition,
      candidate: Candidate
    ) => Effect.Effect<Option.Option<SourceModelChat>, StorageError>
  }
>()("@limbeck/distill/race/HostedModels") {}

/** For a host without sources. */
export const none: Layer.Layer<HostedModels> = Layer.succeed(HostedModels, { open: () => Effect.succeedNone })

export const layer: Layer.Layer<HostedModels, never, SourceChat> = Layer.effect(
  HostedModels,
  Effect.map(SourceChat, (chat) =>
    HostedModels.of({ open: (partition, { model, source }) => chat.open(partition, source, model) })
  )
)
