/** Conversations and their messages (contract 4, 9). */

import { ConversationResource as Conversation } from "@limbeck/chat/conversation/ConversationResource"
import { ChatLimits } from "@limbeck/chat/Limits"
import { MessageResource as Message } from "@limbeck/chat/message/MessageResource"
import { Limits as CoreLimits } from "@limbeck/core/Limits"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Flag, idOf, listOf, listQuery, textUpTo } from "../contract/Common.ts"
import { about, operation, readErrors } from "../contract/Operation.ts"

export { Conversation, Message }

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
      operation("listMessages", "Messages of a conversation, newest first", {
        ...read,
        terminalStates: ["completed", "failed", "handed_off"]
      })
    )
  )
  .annotateMerge(about("What was said, and how the answers to it ended.")) {}
