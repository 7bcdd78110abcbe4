/**
 * The schedule around a worker's `runOnce`: again at once while there is work, else at the next nudge or the next due time.
 * Reads that time again after every poll interval, one query per idle interval. Tests call `runOnce` or move the clock;
 * they need no loop.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import type { StorageError } from "../errors/Errors.ts"
import type { Millis } from "../time/Timestamp.ts"
import { Queue } from "./Queue.ts"

/** How long a worker rests when storage fails. */
const restMillis = 1_000

export interface WorkerOptions {
  readonly topic: string
  /** Performs due work and returns the number of items. */
  readonly runOnce: Effect.Effect<number, StorageError>
  /** When work is due next; null: nothing is waiting. */
  readonly nextDueAt: Effect.Effect<Millis | null, StorageError>
  /** Opened inside the process for work or room that the queue's doorbell does not report. */
  readonly bell?: Latch.Latch
  /** Opened inside the process when the next due time may have changed. */
  readonly changed?: Latch.Latch
  /** The net: how long at most until the next look, in milliseconds. */
  readonly pollMillis: number
}

/** Never ends; interrupt it to stop. A storage failure is logged and survived, a defect too. */
export const forever = Effect.fnUntraced(function* (options: WorkerOptions) {
  const queue = yield* Queue
  const doorbell = yield* queue.doorbell(options.topic)
  const heard = (latch: Latch.Latch | undefined) =>
    latch === undefined ? Effect.never : Effect.andThen(latch.await, latch.close)
  const rung = Effect.as(Effect.raceFirst(doorbell.await, heard(options.bell)), true)
  const woken = Effect.raceFirst(rung, Effect.as(heard(options.changed), false))

  /** Waits; returns whether to work again. */
  const rest = Effect.gen(function* () {
    const dueAt = yield* options.nextDueAt
    const now = yield* Clock.currentTimeMillis
    const untilDue = dueAt === null ? Number.POSITIVE_INFINITY : Math.max(1, dueAt - now)
    return yield* Effect.timeoutOrElse(woken, {
      duration: Math.min(options.pollMillis, untilDue),
      orElse: () => Effect.succeed(untilDue <= options.pollMillis)
    })
  })
  const untilTime = Effect.asVoid(Effect.repeat(rest, { until: (isTime) => isTime }))

  const turn = Effect.flatMap(options.runOnce, (done) => (done > 0 ? Effect.void : untilTime)).pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.annotateLogs(Effect.logError("worker_failed", cause), { topic: options.topic }),
        Effect.sleep(restMillis)
      )
    )
  )
  return yield* Effect.forever(turn)
}, Effect.scoped)
