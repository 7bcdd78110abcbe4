/**
 * The only place where answers end. A conversation has one answer under way at a time, in the order of the questions:
 * the first queued answer has the turn.
 *
 *     accepted ──▶ queued ── its turn ──▶ asked ── end ──▶ the turn of the next
 *
 * Invariants: 1. every writer holds the conversation; 2. an answer ends once, with its event and its idempotency
 * record, by its latest attempt; 3. a queued answer has a work item: a callback is due at its turn, and the answer of a
 * waiting client is due when the client's server has missed its heartbeats for a lease.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Conversation } from "../../conversation/Conversation.ts"
import { ConversationStore } from "../../conversation/ConversationStore.ts"
import { type Message, topic, turnBell } from "../../message/Message.ts"
import { type MessageEvent, transition } from "../../message/MessageMachine.ts"
import * as MessageResource from "../../message/MessageResource.ts"

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* ConversationStore
  const events = yield* Events
  const queue = yield* Queue

  /** Announces the turn of the next answer, if any. */
  const passOn = Effect.fnUntraced(function* (partition: Partition, conversation: string, now: number) {
    const next = Option.getOrUndefined(yield* store.firstQueued(partition, conversation))
    if (next === undefined) return
    if (next.callback === null) return yield* queue.nudge(turnBell)
    yield* queue.offer(partition, topic, next.id, now)
    yield* queue.nudge(topic)
  })

  const told = (partition: Partition, { sandbox }: Conversation, message: Message) =>
    sandbox || message.status === "failed"
      ? Effect.void
      : Effect.asVoid(events.publish(partition, [MessageResource.eventOf(partition, message)]))

  /**
   * Ends a queued answer together with its event and the writes of `along`, and starts the conversation's next question.
   * Returns undefined without a write if the answer is no longer queued, or another attempt has begun.
   */
  const end = Effect.fnUntraced(function* <E = never>(
    partition: Partition,
    answer: Message,
    event: MessageEvent,
    along: (ended: Message) => Effect.Effect<void, E> = () => Effect.void
  ): Effect.fn.Return<Message | undefined, E | StorageError> {
    const now = yield* Clock.currentTimeMillis
    const conversation = Option.getOrUndefined(yield* store.hold(partition, answer.conversation))
    const message = Option.getOrUndefined(yield* store.message(partition, answer.id))
    if (conversation === undefined || message === undefined || message.status !== "queued") return undefined
    if (message.attempts !== answer.attempts) return undefined
    const ended = yield* Effect.orDie(Effect.fromResult(transition(message, event, now)))
    yield* store.write(partition, ended)
    yield* told(partition, conversation, ended)
    if (ended.callback === null) yield* queue.withdraw(partition, topic, ended.id)
    yield* along(ended)
    yield* passOn(partition, conversation.id, now)
    return ended
  }, storage.transaction)

  /** `waiting`: an earlier question has no answer yet. `ended`: the answer is no longer queued. */
  const standingOf = Effect.fnUntraced(function* (partition: Partition, { conversation, id }: Message) {
    const first = Option.getOrUndefined(yield* store.firstQueued(partition, conversation))
    if (first?.id === id) return "turn" as const
    const message = Option.getOrUndefined(yield* store.message(partition, id))
    return message?.status === "queued" ? ("waiting" as const) : ("ended" as const)
  })

  return { end, standingOf } as const
})
