/**
 * Work on one item at a time under a lease that is kept alive while the work lasts. Whoever loses the lease stops; whoever
 * dies leaves it to run out, and the work begins anew elsewhere.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import * as WorkerLoop from "@limbeck/core/queue/WorkerLoop"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"

/** `perform` does the whole work and settles it. */
export const make = Effect.fnUntraced(function* (
  topic: string,
  perform: (work: Work) => Effect.Effect<void, LeaseLost | StorageError>
) {
  const queue = yield* Queue

  const heartbeat = (work: Work) =>
    Effect.sleep(Limits.heartbeatMillis).pipe(
      Effect.andThen(Clock.currentTimeMillis),
      Effect.flatMap((now) => queue.extend(work, now + Limits.leaseMillis)),
      Effect.forever
    )

  const handBack = (work: Work) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => queue.release(work, now)).pipe(
      Effect.andThen(queue.nudge(topic)),
      Effect.ignore
    )

  const hold = (work: Work) =>
    perform(work).pipe(
      Effect.raceFirst(heartbeat(work)),
      Effect.onInterrupt(() => handBack(work)),
      Effect.catchTag("LeaseLost", () => Effect.logInfo(`${topic} ${work.subject} is no longer ours`)),
      // The lease runs out by itself, and the work begins anew.
      Effect.catchCause((cause) => Effect.logError(`the work on ${topic} ${work.subject} broke off`, cause))
    )

  /** Does one due item, if there is one; answers how many there were. */
  const runOnce = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const claimed = yield* queue.claim({ topic, now, limit: 1, leaseUntil: now + Limits.leaseMillis })
    yield* Effect.forEach(claimed, hold, { discard: true })
    return claimed.length
  })

  const loop = WorkerLoop.forever({
    topic,
    runOnce,
    nextDueAt: queue.nextDueAt(topic),
    pollMillis: Limits.pollMillis
  }).pipe(Effect.provideService(Queue, queue))
  /** Never ends; interrupting it hands its items back at once. */
  const forever = Effect.andThen(
    Effect.all(
      Array.from({ length: Limits.contentWorkers }, () => loop),
      { concurrency: "unbounded", discard: true }
    ),
    Effect.never
  )

  return { runOnce, forever }
})
