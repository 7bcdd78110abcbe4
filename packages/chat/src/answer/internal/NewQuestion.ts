/** A new question and its pending answer. Pure. */
import type { CallId } from "@limbeck/capture/call/CapturedCall"
import type { Conversation } from "../../conversation/Conversation.ts"
import type { Callback, Message, MessageId } from "../../message/Message.ts"
import { defaultAuthor, type Question } from "../Question.ts"

export interface ExchangeFacts {
  readonly question: Question
  /** As it is held. */
  readonly conversation: Conversation
  readonly agent: string | null
  /** Null: a client waits for the answer. */
  readonly callback: Callback | null
  readonly ids: { readonly question: MessageId; readonly answer: MessageId; readonly call: CallId }
  readonly now: number
}

export interface Exchange {
  readonly asked: Message
  readonly answer: Message
  /** With both messages. */
  readonly conversation: Conversation
}

const none = { handoffUrl: null, latencyMillis: null, call: null, error: null } as const

export const make = ({ agent, callback, conversation, ids, now, question }: ExchangeFacts): Exchange => {
  const place = conversation.messageCount + 1
  const channel = question.channel ?? conversation.channel
  const shared = {
    ...none,
    conversation: conversation.id,
    session: question.session ?? conversation.session,
    author: question.author ?? defaultAuthor,
    agent,
    channel,
    attempts: 0,
    createdAt: now,
    updatedAt: now
  }
  return {
    asked: {
      ...shared,
      id: ids.question,
      place,
      role: "user",
      status: "completed",
      text: question.text,
      question: null,
      callback: null
    },
    answer: {
      ...shared,
      id: ids.answer,
      place: place + 1,
      role: "assistant",
      status: "queued",
      text: "",
      question: ids.question,
      attemptedCall: ids.call,
      callback
    },
    conversation: { ...conversation, agent, channel, messageCount: place + 1, updatedAt: now }
  }
}
