/** Accepts questions: one transaction stores the question, the pending answer, and its queue item. */
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import { notFound } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Agents } from "../../agent/Agents.ts"
import * as CallbackRules from "../../callback/CallbackRules.ts"
import { Channels } from "../../channel/Channels.ts"
import type { Conversation } from "../../conversation/Conversation.ts"
import { ConversationStore } from "../../conversation/ConversationStore.ts"
import { ConversationElsewhere } from "../../Errors.ts"
import { ChatLimits } from "../../Limits.ts"
import { type Message, topic } from "../../message/Message.ts"
import type { Question } from "../Question.ts"
import * as NewQuestion from "./NewQuestion.ts"
import * as Target from "./Target.ts"

export type Refusal = NotFound | ConversationElsewhere | Target.NoTarget

/** Finds the named conversation or that of the session, or creates one; locks it. */
const makeConversationOf = Effect.gen(function* () {
  const store = yield* ConversationStore
  const ids = yield* Ids

  const named = Effect.fnUntraced(function* (
    partition: Partition,
    id: string,
    sandbox: boolean
  ): Effect.fn.Return<Conversation, NotFound | ConversationElsewhere | StorageError> {
    const found = yield* store.hold(partition, id)
    if (Option.isNone(found)) return yield* notFound("conversation", id, "conversation")
    if (found.value.sandbox === sandbox) return found.value
    return yield* new ConversationElsewhere({ id, sandbox: found.value.sandbox })
  })

  return Effect.fnUntraced(function* (partition: Partition, question: Question, now: number) {
    const { conversation, sandbox, session } = question
    if (conversation !== undefined) return yield* named(partition, conversation, sandbox)
    const id = yield* ids.make("conv")
    const blank = { agent: null, channel: null, messageCount: 0, createdAt: now, updatedAt: now }
    return yield* store.open(partition, { id, session: session ?? id, sandbox, ...blank })
  })
})

/** When a worker should look at the answer. `isTurn`: nothing before it waits for an answer. */
const dueAt = (isTurn: boolean, { callback }: Message, now: number): number => {
  if (callback === null) return now + ChatLimits.leaseMillis
  return isTurn ? now : now + ChatLimits.pollMillis
}

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* ConversationStore
  const agents = yield* Agents
  const channels = yield* Channels
  const queue = yield* Queue
  const ids = yield* Ids
  const conversationOf = yield* makeConversationOf
  const targetOf = yield* Target.make

  /** The agent that answers: the question's, or the conversation's, or the channel's; null: none. */
  const agentOf = Effect.fnUntraced(function* (partition: Partition, question: Question, conversation: Conversation) {
    const channel = question.channel === undefined ? null : yield* channels.get(partition, question.channel, "channel")
    const id = question.agent ?? conversation.agent ?? channel?.agent ?? null
    return id === null ? null : yield* agents.get(partition, id, Target.targetField)
  })

  /** Returns the answer that is to come. `url`: of its callback; null where a client waits. Joins a surrounding transaction. */
  return Effect.fnUntraced(function* (partition: Partition, question: Question, url: string | null) {
    const now = yield* Clock.currentTimeMillis
    const held = yield* conversationOf(partition, question, now)
    const agent = yield* agentOf(partition, question, held)
    yield* targetOf(partition, agent)
    const isTurn = Option.isNone(yield* store.firstQueued(partition, held.id))
    const { answer, asked, conversation } = NewQuestion.make({
      question,
      conversation: held,
      agent: agent?.id ?? null,
      callback: url === null ? null : CallbackRules.newCallback(url, yield* ids.make("del")),
      ids: { question: yield* ids.make("msg"), answer: yield* ids.make("msg"), call: yield* ids.make("call") },
      now
    })
    yield* store.append(partition, [asked, answer])
    yield* store.update(partition, conversation)
    yield* queue.offer(partition, topic, answer.id, dueAt(isTurn, answer, now))
    if (url !== null) yield* queue.nudge(topic)
    return answer
  }, storage.transaction)
})
