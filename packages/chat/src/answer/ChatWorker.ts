/**
 * Answers questions without a waiting client, sends callbacks, and ends answers whose server has died.
 *
 *     claimed ── queued, of a callback ──▶ asked ──▶ ended ──▶ callback ──▶ settled
 *        │         └── not its turn ─────▶ released
 *        ├────── queued, of a client ────▶ failed
 *        └────── ended ──────────────────▶ callback, if it has not begun ──▶ settled
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Callbacks } from "../callback/Callbacks.ts"
import { ConversationStore } from "../conversation/ConversationStore.ts"
import { ChatLimits } from "../Limits.ts"
import { interruption, type Message, type MessageFault, topic } from "../message/Message.ts"
import { type MessageEvent, transition } from "../message/MessageMachine.ts"
import type { ErrorRendering } from "./Chat.ts"
import * as Asking from "./internal/Asking.ts"
import * as ConversationTurns from "./internal/ConversationTurns.ts"

export class ChatWorker extends Context.Service<ChatWorker, LeasedWorker.LeasedWorker>()(
  "@limbeck/chat/answer/ChatWorker"
) {}

const broke = (error: MessageFault): MessageEvent => ({ _tag: "Broke", text: "", error })

const make = Effect.fnUntraced(function* ({ faultOf, statusOf }: ErrorRendering) {
  const storage = yield* Storage
  const store = yield* ConversationStore
  const queue = yield* Queue
  const ids = yield* Ids
  const callbacks = yield* Callbacks
  const turns = yield* ConversationTurns.make
  const ask = yield* Asking.make(statusOf)

  const end = (work: Work, message: Message, event: MessageEvent) =>
    storage.transaction(Effect.andThen(queue.guard(work), turns.end(work.partition, message, event)))

  /** Counts the attempt before making it, so that a message that kills its worker ends at last. */
  const count = Effect.fnUntraced(function* (work: Work, message: Message) {
    const event = { _tag: "Resumed", call: yield* ids.make("call") } as const
    const begun = yield* Effect.orDie(Effect.fromResult(transition(message, event, yield* Clock.currentTimeMillis)))
    yield* storage.transaction(Effect.andThen(queue.guard(work), store.write(work.partition, begun)))
    return begun
  })

  const answer = Effect.fnUntraced(function* (work: Work, message: Message) {
    const begun = yield* count(work, message)
    const before = message.attempts === 0 ? undefined : message.attemptedCall
    const reply = yield* Effect.result(ask(work.partition, begun, { onText: null, before }))
    if (Result.isSuccess(reply)) return yield* end(work, begun, reply.success)
    // A storage failure is no failure of the model: another attempt follows.
    if (reply.failure._tag === "StorageError") return yield* reply.failure
    return yield* end(work, begun, broke(faultOf(reply.failure)))
  })

  const untilTurn = Effect.fnUntraced(function* (work: Work) {
    yield* queue.release(work, (yield* Clock.currentTimeMillis) + ChatLimits.pollMillis)
  })

  const tell = Effect.fnUntraced(function* (work: Work) {
    yield* callbacks.send(work)
    yield* queue.settle(work)
  })

  const perform = Effect.fnUntraced(function* (work: Work): Effect.fn.Return<void, LeaseLost | StorageError> {
    const { partition, subject } = work
    const message = Option.getOrUndefined(yield* store.message(partition, subject))
    if (message === undefined || message.status !== "queued") return yield* tell(work)
    if (message.callback === null) return yield* Effect.asVoid(end(work, message, broke(interruption)))
    if ((yield* turns.standingOf(partition, message)) === "waiting") return yield* untilTurn(work)
    yield* message.attempts < ChatLimits.attemptsMax ? answer(work, message) : end(work, message, broke(interruption))
    yield* tell(work)
  })

  return yield* LeasedWorker.make({
    topic,
    perform,
    pool: Pools.chatAnswers,
    leaseMillis: ChatLimits.leaseMillis,
    heartbeatMillis: ChatLimits.heartbeatMillis,
    pollMillis: ChatLimits.pollMillis
  })
})

export const layerWith = (telling: ErrorRendering) => Layer.effect(ChatWorker, make(telling))
