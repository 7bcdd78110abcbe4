/** Asks models for completions, through the sources of a workspace. The gateway is where sources live. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export interface ChatRequest {
  /** By name or id; null: the default one. */
  readonly source: string | null
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: "system" | "user"; readonly content: string }>
  /** The most that it may write. */
  readonly maxTokens: number
}

export interface ChatAnswer {
  readonly text: string
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number }
}

/** `no_source`: no such source, or no default one. `failed`: the model did not answer. */
export class ChatFailure extends Schema.TaggedError<ChatFailure>()("ChatFailure", {
  reason: Schema.Literals(["no_source", "failed"]),
  message: Schema.String
}) {}

export class ChatModels extends Context.Service<
  ChatModels,
  {
    readonly hasSource: (partition: Partition, source: string) => Effect.Effect<boolean, StorageError>
    /** One call, that is not captured; ends within the source's limit of time. `message` of a failure is for a person. */
    readonly complete: (partition: Partition, request: ChatRequest) => Effect.Effect<ChatAnswer, ChatFailure>
  }
>()("@limbeck/distill/reward/ChatModels") {}

/** For a host without a gateway: there is no source. */
export const none = Layer.succeed(ChatModels, {
  hasSource: () => Effect.succeed(false),
  complete: ({ livemode }) =>
    Effect.fail(
      new ChatFailure({ reason: "no_source", message: `There is no source in ${livemode ? "live" : "test"} mode` })
    )
})
