/** Conversations as callers read them. */
import { type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Message } from "../message/Message.ts"
import type { Conversation } from "./Conversation.ts"
import { type ConversationFilter, ConversationStore } from "./ConversationStore.ts"

export class Conversations extends Context.Service<
  Conversations,
  {
    readonly get: (partition: Partition, id: string) => Effect.Effect<Conversation, NotFound | StorageError>
    /** Newest first. */
    readonly page: (
      partition: Partition,
      filter: ConversationFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Conversation>, StorageError>
    /** Questions and answers, newest first. */
    readonly messages: (
      partition: Partition,
      id: string,
      request: PageRequest
    ) => Effect.Effect<Page<Message>, NotFound | StorageError>
  }
>()("@limbeck/chat/conversation/Conversations") {}

const make = Effect.map(ConversationStore, (store) => {
  const get = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* store.find(partition, id)
    return Option.isSome(found) ? found.value : yield* notFound("conversation", id)
  })

  return Conversations.of({
    get,
    page: store.page,
    messages: (partition, id, request) => Effect.andThen(get(partition, id), store.messages(partition, id, request))
  })
})

export const layer: Layer.Layer<Conversations, never, ConversationStore> = Layer.effect(Conversations, make)
