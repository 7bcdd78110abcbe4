/** Questions and their answers (service-api 2.9, 6.5; contract 9). */

import { ChatLimits } from "@limbeck/chat/Limits"
import { MessageQueuedResource as MessageQueued } from "@limbeck/chat/message/MessageResource"
import * as Characters from "@limbeck/core/text/Characters"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { asAccepted, Reference, Url } from "../contract/Common.ts"
import { about, at, operation, writeErrors } from "../contract/Operation.ts"
import { Message } from "./ConversationsApi.ts"

export { MessageQueued }

/** No control characters, in words that every dialect of JSON Schema knows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
const oneLine = /^[^\u0000-\u001f\u007f-\u009f]*$/u

/** A key of the caller's own: one line of text. */
const key = (max: number) =>
  Schema.NonEmptyString.check(
    Characters.isMaxCharacters(max),
    Schema.isPattern(oneLine, { message: "This is text without control characters" })
  )

export const ChatRequest = Schema.Struct({
  text: Schema.NonEmptyString.check(Characters.isMaxCharacters(ChatLimits.textMax)),
  agent: Schema.optionalKey(Reference),
  conversation: Schema.optionalKey(Reference),
  session: Schema.optionalKey(key(ChatLimits.sessionMax)),
  channel: Schema.optionalKey(Reference),
  webhook: Schema.optionalKey(Url),
  author: Schema.optionalKey(key(ChatLimits.authorMax)),
  stream: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "ChatRequest",
  description: "`stream` sends the answer as it comes; it does not go with `webhook`"
})

const success = [
  Message,
  asAccepted(MessageQueued),
  Schema.String.annotate({
    description:
      "With `stream`: events message.delta (id, conversation, text) as the text comes, then one message.completed (the message) or message.failed (id, error)"
  }).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
] as const

const error = [...writeErrors, at(402), at(502), at(504)] as const

const facts = {
  access: "conversations:write",
  idempotency: "supported",
  terminalStates: ["completed", "failed", "handed_off"],
  recovery: "An answer whose callback was missed stands in GET /v1/conversations/{conversation_id}/messages."
} as const

export class ChatApi extends HttpApiGroup.make("chat")
  .add(
    HttpApiEndpoint.post("send", "/v1/chat", { payload: ChatRequest, success, error }).annotateMerge(
      operation("sendMessage", "Ask, and have the answer in place or by a callback", facts)
    )
  )
  .annotateMerge(about("Questions that a model answers: in place, as a stream, or by a callback.")) {}

/** Like chat, and it leaves no trace but its conversation. An internal group: the document leaves it out (contract 12). */
export class SandboxApi extends HttpApiGroup.make("sandbox")
  .add(
    HttpApiEndpoint.post("send", "/v1/sandbox/chat", { payload: ChatRequest, success, error }).annotateMerge(
      operation("sendSandboxMessage", "Ask without a captured call or an event", facts)
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
