/** The routes of conversations and their messages (contract 9). */
import { ConversationsApi } from "@limbeck/api/ConversationsApi"
import * as ConversationResource from "@limbeck/chat/conversation/ConversationResource"
import { Conversations } from "@limbeck/chat/conversation/Conversations"
import * as MessageResource from "@limbeck/chat/message/MessageResource"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

export const make = Effect.map(Conversations, (conversations) =>
  handlersOf(ConversationsApi)({
    list: ({ caller: { partition }, query }) => {
      const { agent, sandbox, session } = query
      const filter = { agent, session, sandbox: sandbox === undefined ? undefined : sandbox === "true" }
      return Lists.page(
        { partition, list: "conversations", query, filters: { agent, sandbox, session } },
        (request) => conversations.page(partition, filter, request),
        (items) => items.map((item) => ConversationResource.render(partition, item))
      )
    },
    get: ({ caller: { partition }, params }) =>
      Effect.map(conversations.get(partition, params.conversation_id), (conversation) =>
        ConversationResource.render(partition, conversation)
      ),
    messages: ({ caller: { partition }, params: { conversation_id: id }, query }) =>
      Lists.page(
        { partition, list: `messages.${id}`, query },
        (request) => conversations.messages(partition, id, request),
        (items) => items.map((item) => MessageResource.render(partition, item))
      )
  })
)
