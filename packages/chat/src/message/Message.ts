/** A message of a conversation: a question or its answer (service-api 2.9, contract 9). */
import { CallId } from "@limbeck/capture/call/CapturedCall"
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { ConversationId } from "../conversation/Conversation.ts"

export const MessageId = Id.schema("msg")
export type MessageId = typeof MessageId.Type

/** `queued`: the answer is pending. A question is `completed` from the beginning. */
export const MessageStatus = Schema.Literals(["queued", "completed", "failed", "handed_off"])
export type MessageStatus = typeof MessageStatus.Type

/** `user`: what the caller said. `assistant`: what answers it. */
export const MessageRole = Schema.Literals(["user", "assistant"])

/** `attempted`: the only attempt has begun; final if the process died before the outcome. */
export const CallbackStatus = Schema.Literals(["pending", "attempted", "succeeded", "failed"])

export const Callback = Schema.Struct({
  url: Schema.String,
  /** The id in the header of the request. */
  deliveryId: Schema.String,
  status: CallbackStatus,
  statusCode: Schema.NullOr(Schema.Int),
  /** As of a webhook's attempt: `timeout`, `connection_refused`, `blocked_address` and the like. */
  error: Schema.NullOr(Schema.String),
  attemptedAt: Schema.NullOr(Millis)
})
export type Callback = typeof Callback.Type

export const MessageFault = Schema.Struct({ code: Schema.String, message: Schema.String })
export type MessageFault = typeof MessageFault.Type

/** The fault of an answer whose process has died, or whose end storage refused, with no attempt since. */
export const interruption: MessageFault = {
  code: "interrupted",
  message: "The server died, or lost its storage, before the answer was there"
}

export const Message = Schema.Struct({
  id: MessageId,
  conversation: ConversationId,
  /** Counts from 1 within the conversation. */
  place: Schema.Int,
  role: MessageRole,
  status: MessageStatus,
  text: Schema.String,
  session: Schema.String,
  /** Who asked, as the caller says; an answer has the author of its question. */
  author: Schema.String,
  /** Ids of the agent that answers, and of the channel of the question. */
  agent: Schema.NullOr(Schema.String),
  channel: Schema.NullOr(Schema.String),
  /** Of an answer: the message that it answers. */
  question: Schema.NullOr(MessageId),
  /** How often a worker or a retry began this answer again after a crash. Only the latest attempt can end it. */
  attempts: Schema.Int,
  /** The call id of the latest attempt; absent if an earlier version began it. A later attempt reuses this call's answer. */
  attemptedCall: Schema.optionalKey(CallId),
  /** The URL where a person continues the conversation; null unless `handed_off`. */
  handoffUrl: Schema.NullOr(Schema.String),
  /** From the question to its answer; null until then. */
  latencyMillis: Schema.NullOr(Schema.Int),
  /** Id of the call to the model; null before the call, and in the sandbox. */
  call: Schema.NullOr(Schema.String),
  error: Schema.NullOr(MessageFault),
  /** Null: a client waits for the answer, or waited. */
  callback: Schema.NullOr(Callback),
  createdAt: Millis,
  updatedAt: Millis
})
export type Message = typeof Message.Type

/** The queue topic of pending answers and callbacks; the subject is the id of the answer. */
export const topic = "message"

/** Rung when a conversation goes on to its next question. */
export const turnBell = "conversation"
