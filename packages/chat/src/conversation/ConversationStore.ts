/** Where conversations and their messages are. The promises are tested by ConversationStoreContract. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Message } from "../message/Message.ts"
import type { Conversation } from "./Conversation.ts"

/** What is absent filters nothing. */
export interface ConversationFilter {
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly sandbox?: boolean | undefined
}

export class ConversationStore extends Context.Service<
  ConversationStore,
  {
    /**
     * Inside a transaction: returns the conversation with the session and sandbox of the given one, or stores the given
     * one. Locks it like `hold`. Of two concurrent calls for one session, one stores.
     */
    readonly open: (partition: Partition, conversation: Conversation) => Effect.Effect<Conversation, StorageError>
    /** Inside a transaction: reads and locks the conversation; other lockers wait for the end of the transaction. */
    readonly hold: (partition: Partition, id: string) => Effect.Effect<Option.Option<Conversation>, StorageError>
    /** Writes a conversation that is held. Its session, sandbox and time of creation never change. */
    readonly update: (partition: Partition, conversation: Conversation) => Effect.Effect<void, StorageError>
    readonly find: (partition: Partition, id: string) => Effect.Effect<Option.Option<Conversation>, StorageError>
    /** Newest first, by id. */
    readonly page: (
      partition: Partition,
      filter: ConversationFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Conversation>, StorageError>
    /** Stores new messages of locked conversations. */
    readonly append: (partition: Partition, messages: ReadonlyArray<Message>) => Effect.Effect<void, StorageError>
    /** Writes a message that is there; one that is not stays away. */
    readonly write: (partition: Partition, message: Message) => Effect.Effect<void, StorageError>
    readonly message: (partition: Partition, id: string) => Effect.Effect<Option.Option<Message>, StorageError>
    /** Of a conversation, newest first, by id. */
    readonly messages: (
      partition: Partition,
      conversation: string,
      request: PageRequest
    ) => Effect.Effect<Page<Message>, StorageError>
    /** Of a conversation, the last `limit` before this place, by falling place. */
    readonly before: (
      partition: Partition,
      conversation: string,
      place: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Message>, StorageError>
    /** The first queued message of the conversation, whose turn is next. */
    readonly firstQueued: (
      partition: Partition,
      conversation: string
    ) => Effect.Effect<Option.Option<Message>, StorageError>
    /**
     * Removes up to `limit` conversations of any partition whose last message is from before `updatedBefore`, with all their
     * messages; those stay that have a queued one. Returns how many conversations that was.
     */
    readonly prune: (updatedBefore: Millis, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@limbeck/chat/conversation/ConversationStore") {}
