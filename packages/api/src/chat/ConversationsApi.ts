/** Conversations and their messages (contract 4, 9). */
import { ChatLimits } from "@limbeck/chat/Limits"
import { CallbackStatus, MessageFault, MessageRole, MessageStatus } from "@limbeck/chat/message/Message"
import { Limits as CoreLimits } from "@limbeck/core/Limits"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Flag, idOf, listOf, listQuery, Timestamp, textUpTo, UrlShown } from "../contract/Common.ts"
import { about, operation, readErrors } from "../contract/Operation.ts"

export const Conversation = Schema.Struct({
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

const Callback = Schema.Struct({
  url: UrlShown,
  delivery_id: idOf("del"),
  status: CallbackStatus,
  status_code: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  attempted_at: Schema.NullOr(Timestamp)
})

export const Message = Schema.Struct({
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
  callback: Schema.NullOr(Callback),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Message",
  description:
    "What a caller said (`role` user), or what answers it. `question` is the message that an answer is to, `call` its captured call."
})

const params = { conversation_id: idOf("conv") }
const read = { access: "conversations:read" } as const

export class ConversationsApi extends HttpApiGroup.make("conversations")
  .add(
    HttpApiEndpoint.get("list", "/v1/conversations", {
      query: {
        ...listQuery,
        agent: Schema.optionalKey(textUpTo(CoreLimits.referenceMax)),
        session: Schema.optionalKey(textUpTo(ChatLimits.sessionMax)),
        sandbox: Schema.optionalKey(Flag)
      },
      success: listOf(Conversation),
      error: readErrors
    }).annotateMerge(operation("listConversations", "Conversations of the caller's mode, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/conversations/:conversation_id", {
      params,
      success: Conversation,
      error: readErrors
    }).annotateMerge(operation("getConversation", "One conversation", read))
  )
  .add(
    HttpApiEndpoint.get("messages", "/v1/conversations/:conversation_id/messages", {
      params,
      query: listQuery,
      success: listOf(Message),
      error: readErrors
    }).annotateMerge(
      operation("listMessages", "What was said in a conversation, newest first", {
        ...read,
        terminalStates: ["completed", "failed", "handed_off"]
      })
    )
  )
  .annotateMerge(about("What was said, and how the answers to it ended.")) {}
