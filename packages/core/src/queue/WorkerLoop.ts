/**
 * The schedule around a worker's `runOnce`: again at once while there is work, else at the next nudge, at the next due time,
 * or after a poll interval, whichever comes first. Tests call `runOnce` or move the clock; they need no loop.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StorageError } from "../errors/Errors.ts"
import type { Millis } from "../time/Timestamp.ts"
import { Queue } from "./Queue.ts"

/** How long a worker rests when storage fails. */
const restMillis = 1_000

export interface WorkerOptions {
  readonly topic: string
  /** Does what is due; answers how much that was. */
  readonly runOnce: Effect.Effect<number, StorageError>
  /** When work is due next; null: nothing is waiting. */
  readonly nextDueAt: Effect.Effect<Millis | null, StorageError>
  /** The net: how long at most until the next look, in milliseconds. */
  readonly pollMillis: number
}

/** Never ends; interrupt it to stop. A storage failure is logged and survived, a defect too. */
export const forever = Effect.fnUntraced(function* (options: WorkerOptions) {
  const queue = yield* Queue
  const bell = yield* queue.doorbell(options.topic)

  const rest = Effect.gen(function* () {
    const dueAt = yield* options.nextDueAt
    const now = yield* Clock.currentTimeMillis
    const wait = dueAt === null ? options.pollMillis : Math.min(options.pollMillis, Math.max(1, dueAt - now))
    yield* Effect.timeoutOrElse(bell.await, { duration: wait, orElse: () => Effect.void })
  })

  const turn = Effect.flatMap(options.runOnce, (done) => (done > 0 ? Effect.void : rest)).pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(Effect.logError(`worker ${options.topic} met a failure`, cause), Effect.sleep(restMillis))
    )
  )
  return yield* Effect.forever(turn)
}, Effect.scoped)
