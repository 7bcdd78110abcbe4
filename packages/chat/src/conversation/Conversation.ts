/** A conversation: messages in their order, between callers and whoever answers them (contract 9). */
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const ConversationId = Id.schema("conv")
export type ConversationId = typeof ConversationId.Type

export const Conversation = Schema.Struct({
  id: ConversationId,
  /** The caller's own key for the conversation; by default its id. Unique per partition, separately in the sandbox. */
  session: Schema.String,
  /** Ids of the last agent and the last channel. */
  agent: Schema.NullOr(Schema.String),
  channel: Schema.NullOr(Schema.String),
  /** In the sandbox: calls are neither captured nor charged, and no events are published (contract 4). */
  sandbox: Schema.Boolean,
  /** Messages that it has had so far; the place of the last one. */
  messageCount: Schema.Int,
  createdAt: Millis,
  /** When its last message came. */
  updatedAt: Millis
})
export type Conversation = typeof Conversation.Type
