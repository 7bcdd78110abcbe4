/** A conversation as callers see it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Conversation } from "./Conversation.ts"

export const render = ({ livemode }: Partition, conversation: Conversation) => ({
  id: conversation.id,
  object: "conversation" as const,
  livemode,
  session: conversation.session,
  agent: conversation.agent,
  channel: conversation.channel,
  sandbox: conversation.sandbox,
  message_count: conversation.messageCount,
  created_at: toIso(conversation.createdAt),
  updated_at: toIso(conversation.updatedAt)
})
