/**
 * Requests and answers from one dialect to another (contract 16.7). A request passes through the form of a chat completion, an
 * answer through answer events. Pure.
 */
import type { InvalidInput } from "@limbeck/core/errors/Errors"
import { invalid } from "@limbeck/core/errors/Errors"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { AnswerEvent } from "./answer/AnswerEvent.ts"
import type { AnswerWriter } from "./answer/AnswerWriter.ts"
import type { ConversationEndpoint } from "./CallConversation.ts"
import * as ChatEvents from "./chat/ChatEvents.ts"
import * as ChatRequest from "./chat/ChatRequest.ts"
import * as ChatWriter from "./chat/ChatWriter.ts"
import type { Inexpressible } from "./conversation/Conversation.ts"
import * as ChatToMessages from "./messages/ChatToMessages.ts"
import { MessagesStreamReader, ofWhole as messageEvents } from "./messages/MessagesEvents.ts"
import * as MessagesToChat from "./messages/MessagesToChat.ts"
import * as MessagesWriter from "./messages/MessagesWriter.ts"
import * as ResponsesToChat from "./responses/ResponsesToChat.ts"
import * as ResponsesWriter from "./responses/ResponsesWriter.ts"

type Json = Schema.Json
type Members = Schema.JsonObject
type TranslationResult = Result.Result<Members, Inexpressible>

/** The endpoints that requests are translated to: what students and sources of other dialects are asked. */
export type UpstreamEndpoint = Extract<ConversationEndpoint, "chat.completions" | "messages">

/** What follows the base URL. */
export const targetOf: Readonly<Record<UpstreamEndpoint, string>> = {
  "chat.completions": "/chat/completions",
  messages: "/messages"
}

const asChat: Readonly<Record<ConversationEndpoint, (request: Json | undefined) => TranslationResult>> = {
  "chat.completions": (request) => Result.map(ChatRequest.read(request), () => request as Members), // It is an object.
  responses: ResponsesToChat.request,
  messages: MessagesToChat.request
}

/** The request's members without its model; a member that the other dialect cannot express is refused. */
export const requestTo = (
  to: UpstreamEndpoint,
  from: ConversationEndpoint,
  request: Json | undefined
): Result.Result<Members, InvalidInput> => {
  const chat = asChat[from](request)
  const translated = to === "messages" ? Result.flatMap(chat, ChatToMessages.request) : chat
  return Result.mapError(translated, ({ message, param }) => invalid(param, message))
}

export const writers: Readonly<Record<ConversationEndpoint, AnswerWriter>> = {
  "chat.completions": ChatWriter.writer,
  responses: ResponsesWriter.writer,
  messages: MessagesWriter.writer
}

/** Reads the answers of an upstream. */
export interface AnswerReader {
  /** Undefined for what is no answer. */
  readonly whole: (answer: Json | undefined) => ReadonlyArray<AnswerEvent> | undefined
  /** A reader of the data of one stream's events. */
  readonly stream: () => (event: Json | undefined) => ReadonlyArray<AnswerEvent>
}

export const readers: Readonly<Record<UpstreamEndpoint, AnswerReader>> = {
  "chat.completions": { whole: ChatEvents.ofWhole, stream: () => ChatEvents.ofChunk },
  messages: {
    whole: messageEvents,
    stream: () => {
      const reader = new MessagesStreamReader()
      return (event) => reader.read(event)
    }
  }
}

/** As `requestTo`, for a server of language models: all of them know the older name of the bound. */
export const studentRequest: typeof requestTo = (to, from, request) =>
  Result.map(requestTo(to, from, request), ({ max_completion_tokens: max_tokens, ...members }) =>
    max_tokens === undefined ? members : { ...members, max_tokens }
  )
