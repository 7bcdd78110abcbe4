/** A conversation as callers see it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { Conversation } from "./Conversation.ts"

export const ConversationResource = Schema.Struct({
  id: idOf("conv"),
  object: Schema.Literal("conversation"),
  livemode: Schema.Boolean,
  session: Schema.String,
  agent: Schema.NullOr(idOf("agt")),
  channel: Schema.NullOr(idOf("chn")),
  sandbox: Schema.Boolean,
  message_count: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Conversation", description: "`agent` and `channel` are those of its last question" })

export const render = Rendered.by(ConversationResource, ({ livemode }: Partition, conversation: Conversation) => ({
  id: conversation.id,
  object: "conversation",
  livemode,
  session: conversation.session,
  agent: conversation.agent,
  channel: conversation.channel,
  sandbox: conversation.sandbox,
  message_count: conversation.messageCount,
  created_at: toIso(conversation.createdAt),
  updated_at: toIso(conversation.updatedAt)
}))
