/** A message in the API, in events and in the callback (service-api 2.9). */
import type { EventDraft } from "@limbeck/core/events/Event"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp, UrlShown } from "@limbeck/core/resources/WireSchemas"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { messageCompleted } from "../ChatEvents.ts"
import { type Callback, CallbackStatus, type Message, MessageFault, MessageRole, MessageStatus } from "./Message.ts"

export const MessageQueuedResource = Schema.Struct({
  id: idOf("msg"),
  object: Schema.Literal("message"),
  status: Schema.Literal("queued"),
  conversation: idOf("conv"),
  session: Schema.String
}).annotate({ identifier: "MessageQueued", description: "The answer that is to come to `webhook`" })

const CallbackResource = Schema.Struct({
  url: UrlShown,
  delivery_id: idOf("del"),
  status: CallbackStatus,
  status_code: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  attempted_at: Schema.NullOr(Timestamp)
})

export const MessageResource = Schema.Struct({
  id: idOf("msg"),
  object: Schema.Literal("message"),
  livemode: Schema.Boolean,
  conversation: idOf("conv"),
  session: Schema.String,
  role: MessageRole,
  status: MessageStatus,
  text: Schema.String,
  author: Schema.String,
  agent: Schema.NullOr(idOf("agt")),
  channel: Schema.NullOr(idOf("chn")),
  question: Schema.NullOr(idOf("msg")),
  handoff_url: Schema.NullOr(UrlShown),
  latency_ms: Schema.NullOr(Schema.Int),
  call: Schema.NullOr(idOf("call")),
  error: Schema.NullOr(MessageFault),
  callback: Schema.NullOr(CallbackResource),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Message",
  description:
    "What a caller said (`role` user), or what answers it. `question` is the message that an answer is to, `call` its captured call."
})

const renderCallback = Rendered.by(
  CallbackResource,
  ({ attemptedAt, deliveryId, error, status, statusCode, url }: Callback) => ({
    url,
    delivery_id: deliveryId,
    status,
    status_code: statusCode,
    error,
    attempted_at: toIsoOrNull(attemptedAt)
  })
)

export const render = Rendered.by(MessageResource, ({ livemode }: Partition, message: Message) => ({
  id: message.id,
  object: "message",
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
}))

/** The immediate response to a question with a callback (contract 9). */
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
