/** A conversation: messages in their order, between callers and whoever answers them (contract 9). */
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const ConversationId = Id.schema("conv")
export type ConversationId = typeof ConversationId.Type

export const Conversation = Schema.Struct({
  id: ConversationId,
  /** The caller's own key, by which it is found again; by default its id. At most one per partition has it, sandbox apart. */
  session: Schema.String,
  /** Ids of the agent that answered last, and of the channel that was used last. */
  agent: Schema.NullOr(Schema.String),
  channel: Schema.NullOr(Schema.String),
  /** Of the sandbox: nothing in it is captured, charged or told (contract 4). */
  sandbox: Schema.Boolean,
  /** Messages that it has had so far; the place of the last one. */
  messageCount: Schema.Int,
  createdAt: Millis,
  /** When its last message came. */
  updatedAt: Millis
})
export type Conversation = typeof Conversation.Type
