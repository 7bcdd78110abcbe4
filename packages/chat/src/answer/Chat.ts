/**
 * Answers questions. The worker answers questions with a callback URL later; a waiting client's question is answered in
 * place, by the process with the connection, which holds the message for as long as it lives.
 */
import type { CallError } from "@limbeck/capture/source/Forward"
import type { InvalidInput, StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as CallbackRules from "../callback/CallbackRules.ts"
import { AnswerInterrupted } from "../Errors.ts"
import { ChatLimits } from "../Limits.ts"
import { interruption, type Message, type MessageFault, topic, turnBell } from "../message/Message.ts"
import * as Acceptance from "./internal/Acceptance.ts"
import type { OnText } from "./internal/AnswerReading.ts"
import * as Asking from "./internal/Asking.ts"
import * as ConversationTurns from "./internal/ConversationTurns.ts"
import * as Resumption from "./internal/Resumption.ts"
import type { Question } from "./Question.ts"

export type AnswerError = Acceptance.Refusal | Asking.AskError | AnswerInterrupted

/** How a failure is told: by its status, and on the message by its code and a sentence. */
export interface ErrorRendering {
  readonly statusOf: (error: CallError) => number
  readonly faultOf: (error: AnswerError) => MessageFault
}

export interface AnswerOptions {
  /** Receives the text of the answer as it streams; absent: the model returns the whole. */
  readonly onText?: ((text: string, message: Message) => Effect.Effect<void>) | undefined
  /** Absent: a retry of the request asks another question. */
  readonly keeper?: AnswerKeeper | undefined
}

/** Keeps an answer for retries of its request. */
export interface AnswerKeeper {
  /** Id of the answer that the request has begun in a process that has died; null: none. */
  readonly continuation: string | null
  /** Runs the transaction that accepts the question, and notes its answer as the continuation. */
  readonly begin: <E>(accepting: Effect.Effect<Message, E>) => Effect.Effect<Message, E | StorageError>
  /** To be run before the transaction that ends the answer. */
  readonly ready: Effect.Effect<void>
  /** Runs inside that transaction, with the final message. */
  readonly keep: (message: Message) => Effect.Effect<void, StorageError>
  readonly free: Effect.Effect<void, StorageError>
}

export class Chat extends Context.Service<
  Chat,
  {
    /** Stores the question; the worker answers it, and tells `webhook`. Joins a surrounding transaction. */
    readonly enqueue: (
      partition: Partition,
      question: Question,
      webhook: string
    ) => Effect.Effect<Message, Acceptance.Refusal | InvalidInput>
    /**
     * Stores the question and answers it after all earlier questions of the conversation. On failure or interruption, the
     * message becomes `failed` with the text so far. A question that a crash interrupted is not stored again: its answer
     * starts over. Must not run inside a transaction.
     */
    readonly answer: (
      partition: Partition,
      question: Question,
      options: AnswerOptions
    ) => Effect.Effect<Message, AnswerError>
  }
>()("@limbeck/chat/answer/Chat") {}

/** Of a text that broke off. */
const partOf = (text: string): string => text.slice(0, ChatLimits.answerTextMax)

const aborted: MessageFault = {
  code: "aborted",
  message: "The client left, or the server stopped, before the answer was there"
}
const defect: MessageFault = { code: "api_error", message: "Something went wrong on our side" }

const makeFaultIn =
  (faultOf: ErrorRendering["faultOf"]) =>
  (cause: Cause.Cause<AnswerError>): MessageFault => {
    if (Cause.hasInterruptsOnly(cause)) return aborted
    const found = Cause.findErrorOption(cause)
    return found._tag === "Some" ? faultOf(found.value) : defect
  }

const isStorageFailure = (cause: Cause.Cause<AnswerError>): boolean => {
  const found = Cause.findErrorOption(cause)
  return found._tag === "Some" && found.value._tag === "StorageError"
}

/** The pending answer to a question, stored now or by an earlier attempt of the same request. */
const makeAccepted = Effect.gen(function* () {
  const accept = yield* Acceptance.make
  const resume = yield* Resumption.make

  return Effect.fnUntraced(function* (
    partition: Partition,
    question: Question,
    keeper: AnswerKeeper | undefined
  ): Effect.fn.Return<Resumption.ResumedAnswer, Acceptance.Refusal> {
    const continuation = keeper?.continuation ?? null
    const resumed = continuation === null ? undefined : yield* resume(partition, continuation)
    if (resumed !== undefined) return resumed
    const accepting = accept(partition, question, null)
    return { message: yield* keeper === undefined ? accepting : keeper.begin(accepting), before: undefined }
  })
})

const make = Effect.fnUntraced(function* ({ faultOf, statusOf }: ErrorRendering) {
  const accept = yield* Acceptance.make
  const accepted = yield* makeAccepted
  const turns = yield* ConversationTurns.make
  const ask = yield* Asking.make(statusOf)
  const queue = yield* Queue
  const faultIn = makeFaultIn(faultOf)

  /** Keeps the message from the worker; never ends. */
  const heartbeat = (partition: Partition, { id }: Message) =>
    Effect.sleep(ChatLimits.heartbeatMillis).pipe(
      Effect.andThen(Clock.currentTimeMillis),
      Effect.flatMap((now) => queue.offer(partition, topic, id, now + ChatLimits.leaseMillis)),
      // Survives a few heartbeats that storage refuses.
      Effect.ignore,
      Effect.forever
    )

  const untilTurn = Effect.fnUntraced(function* (partition: Partition, message: Message) {
    const bell = yield* queue.doorbell(turnBell)
    let standing = yield* turns.standingOf(partition, message)
    while (standing === "waiting") {
      yield* Effect.timeoutOption(bell.await, ChatLimits.turnPollMillis)
      standing = yield* turns.standingOf(partition, message)
    }
    if (standing === "ended") return yield* new AnswerInterrupted({ id: message.id })
  }, Effect.scoped)

  const answer = (partition: Partition, question: Question, { keeper, onText }: AnswerOptions) => {
    /** What has come so far. */
    let text = ""
    const heardOf = (message: Message): OnText =>
      onText === undefined
        ? null
        : (more) =>
            Effect.suspend(() => {
              text += more
              return onText(more, message)
            })

    const answered = Effect.fnUntraced(function* ({ before, message }: Resumption.ResumedAnswer) {
      yield* untilTurn(partition, message)
      const reply = yield* ask(partition, message, { onText: heardOf(message), before })
      if (keeper !== undefined) yield* keeper.ready
      const ended = yield* turns.end(partition, message, reply, keeper?.keep)
      return ended ?? (yield* new AnswerInterrupted({ id: message.id }))
    })

    /**
     * Frees the key, but after a failure of storage: the retry under the key then resumes this answer. If storage refuses this
     * write, too, the worker later ends the silent answer, and the retry resumes it.
     */
    const broken = Effect.fnUntraced(function* (message: Message, cause: Cause.Cause<AnswerError>) {
      const isResumable = keeper !== undefined && isStorageFailure(cause)
      const free = isResumable || keeper === undefined ? Effect.void : keeper.free
      if (keeper !== undefined) yield* keeper.ready
      const event = { _tag: "Broke", text: partOf(text), error: isResumable ? interruption : faultIn(cause) } as const
      yield* turns.end(partition, message, event, () => free)
    })

    return Effect.acquireUseRelease(
      accepted(partition, question, keeper),
      (begun) => Effect.raceFirst(answered(begun), heartbeat(partition, begun.message)),
      ({ message }, exit) =>
        Exit.isSuccess(exit)
          ? Effect.void
          : Effect.catch(broken(message, exit.cause), (error) =>
              Effect.logWarning(`the message ${message.id} could not be ended`, error)
            )
    )
  }

  return Chat.of({
    answer,
    enqueue: Effect.fn("Chat.enqueue")(function* (partition, question, webhook) {
      const url = yield* Effect.fromResult(CallbackRules.url(webhook))
      return yield* accept(partition, question, url)
    })
  })
})

export const layerWith = (telling: ErrorRendering) => Layer.effect(Chat, make(telling))
