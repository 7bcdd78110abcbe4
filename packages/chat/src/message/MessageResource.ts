/** A message as callers see it, and as the callback tells it (service-api 2.9). */
import type { EventDraft } from "@limbeck/core/events/Event"
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import { messageCompleted } from "../ChatEvents.ts"
import type { Callback, Message } from "./Message.ts"

const renderCallback = ({ attemptedAt, deliveryId, error, status, statusCode, url }: Callback) => ({
  url,
  delivery_id: deliveryId,
  status,
  status_code: statusCode,
  error,
  attempted_at: toIsoOrNull(attemptedAt)
})

export const render = ({ livemode }: Partition, message: Message) => ({
  id: message.id,
  object: "message" as const,
  livemode,
  conversation: message.conversation,
  session: message.session,
  role: message.role,
  status: message.status,
  text: message.text,
  author: message.author,
  agent: message.agent,
  channel: message.channel,
  question: message.question,
  handoff_url: message.handoffUrl,
  latency_ms: message.latencyMillis,
  call: message.call,
  error: message.error,
  callback: message.callback === null ? null : renderCallback(message.callback),
  created_at: toIso(message.createdAt),
  updated_at: toIso(message.updatedAt)
})

/** What a caller is told whose answer comes by a callback (contract 9). */
export const renderQueued = ({ conversation, id, session, status }: Message) => ({
  id,
  object: "message" as const,
  status,
  conversation,
  session
})

export const eventOf = (partition: Partition, message: Message): EventDraft => ({
  type: messageCompleted,
  object: render(partition, message)
})

/** The body of the callback, exactly. */
export const callbackBody = (message: Message): string =>
  JSON.stringify({
    id: message.id,
    text: message.text,
    status: message.status,
    conversation: message.conversation,
    session: message.session,
    agent: message.agent,
    author: message.author,
    handoff_url: message.handoffUrl,
    latency_ms: message.latencyMillis ?? 0
  })
