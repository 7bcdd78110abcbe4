/** What a captured call teaches, whatever its dialect: the one place that knows the readers of rows. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { CallEndpoint } from "../call/CapturedCall.ts"
import * as ChatAnswer from "./chat/ChatAnswer.ts"
import * as ChatRequest from "./chat/ChatRequest.ts"
import type { Conversation, Inexpressible, UnsupportedReason } from "./conversation/Conversation.ts"
import * as RowRules from "./conversation/RowRules.ts"
import * as MessagesAnswer from "./messages/MessagesAnswer.ts"
import * as MessagesRequest from "./messages/MessagesRequest.ts"
import * as ResponsesAnswer from "./responses/ResponsesAnswer.ts"
import * as ResponsesRequest from "./responses/ResponsesRequest.ts"

/** The endpoints whose calls are conversations. */
export type ConversationEndpoint = Extract<CallEndpoint, "chat.completions" | "responses" | "messages">

interface Reader {
  readonly request: (body: Schema.Json | undefined) => Result.Result<Conversation, Inexpressible>
  /** The assistant's message, as a chat completion writes it. */
  readonly answer: (body: Schema.Json | undefined) => Result.Result<Schema.JsonObject, UnsupportedReason>
}

const readers: Readonly<Record<ConversationEndpoint, Reader>> = {
  "chat.completions": { request: ChatRequest.read, answer: ChatAnswer.read },
  responses: { request: ResponsesRequest.read, answer: ResponsesAnswer.read },
  messages: { request: MessagesRequest.read, answer: MessagesAnswer.read }
}

export const endpoints: ReadonlyArray<ConversationEndpoint> = ["chat.completions", "responses", "messages"]

export const isConversation = (endpoint: CallEndpoint): endpoint is ConversationEndpoint => endpoint in readers

export const readerOf = (endpoint: ConversationEndpoint): Reader => readers[endpoint]

/** Why no call of an endpoint is a row; undefined for the endpoints of conversations and of decisions. */
export const refusalOf = (endpoint: CallEndpoint): UnsupportedReason | undefined => {
  switch (endpoint) {
    case "embeddings":
      return "embedding"
    case "completions":
      return "legacy_completion"
    default:
      return undefined
  }
}

/** The messages of a call's parsed request, whatever its answer was; undefined for a request in another form. */
export const promptOf = (
  endpoint: ConversationEndpoint,
  request: Schema.Json | undefined
): ReadonlyArray<Schema.Json> | undefined =>
  Option.getOrUndefined(Option.map(Result.getSuccess(readerOf(endpoint).request(request)), RowRules.promptOf))

/** The row of a call's parsed bodies. */
export const rowOf = (
  endpoint: ConversationEndpoint,
  request: Schema.Json | undefined,
  answer: Schema.Json | undefined
): Result.Result<Schema.JsonObject, UnsupportedReason> => {
  const reader = readerOf(endpoint)
  return Result.gen(function* () {
    const conversation = yield* Result.mapError(reader.request(request), ({ reason }) => reason)
    const message = yield* reader.answer(answer)
    const row = RowRules.rowOf(conversation, message)
    return yield* isObject(row) ? Result.succeed(row) : Result.fail("no_answer" as const)
  })
}
