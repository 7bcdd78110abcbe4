/**
 * Goes on with an answer whose process has died, for the retry of its request. The question stands once: the retry gets the same
 * message.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ConversationStore } from "../../conversation/ConversationStore.ts"
import { ChatLimits } from "../../Limits.ts"
import { interruption, type Message, topic } from "../../message/Message.ts"
import { transition } from "../../message/MessageMachine.ts"

export interface ResumedAnswer {
  /** Queued again, with a new attempt. */
  readonly message: Message
  /** The call id of the attempt that the crash ended; undefined if an earlier version began it. */
  readonly before: string | undefined
}

/** Whether the answer still waits for its process, or was ended because that has died. */
const isResumable = ({ error, status }: Message): boolean =>
  status === "queued" || (status === "failed" && error?.code === interruption.code)

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* ConversationStore
  const queue = yield* Queue
  const ids = yield* Ids

  /** Undefined where the answer is gone, or has ended otherwise: its question is to be asked anew. */
  return Effect.fnUntraced(function* (
    partition: Partition,
    id: string
  ): Effect.fn.Return<ResumedAnswer | undefined, StorageError> {
    const found = Option.getOrUndefined(yield* store.message(partition, id))
    if (found === undefined || Option.isNone(yield* store.hold(partition, found.conversation))) return undefined
    // Once more: until now a worker may have ended it.
    const message = Option.getOrUndefined(yield* store.message(partition, id))
    if (message === undefined || !isResumable(message)) return undefined
    const now = yield* Clock.currentTimeMillis
    const event = { _tag: "Resumed", call: yield* ids.make("call") } as const
    const begun = yield* Effect.orDie(Effect.fromResult(transition(message, event, now)))
    yield* store.write(partition, begun)
    // Takes the lease from a worker that holds the message.
    yield* queue.offer(partition, topic, id, now + ChatLimits.leaseMillis)
    return { message: begun, before: message.attemptedCall }
  }, storage.transaction)
})
