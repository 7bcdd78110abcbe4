/**
 * The worker that drives runs: claims one under a lease, walks its stages through an executor, and writes every step in a
 * transaction that first checks the lease, so that a worker that lost it can write nothing more.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import * as WorkerLoop from "@limbeck/core/queue/WorkerLoop"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { Limits } from "../Limits.ts"
import * as Run from "./Run.ts"
import { cancelTopic } from "./Runs.ts"
import * as StageDriver from "./StageDriver.ts"

export class RunScheduler extends Context.Service<
  RunScheduler,
  {
    /** Claims up to `runsMax` due runs and drives each as far as it goes; answers how many there were. */
    readonly runOnce: Effect.Effect<number, StorageError>
    /** Never ends; interrupting it hands its runs back at once. */
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/distill/run/RunScheduler") {}

const make = Effect.gen(function* () {
  const queue = yield* Queue
  const driver = yield* StageDriver.make
  /** Runs that are claimed here; never above `runsMax`. */
  let active = 0

  /** Prolongs the lease until it is lost; asks at once when some run was canceled. */
  const heartbeat = Effect.fnUntraced(function* (work: Work) {
    const bell = yield* queue.doorbell(cancelTopic)
    const beat = Effect.gen(function* () {
      yield* Effect.timeoutOrElse(bell.await, { duration: Limits.heartbeatMillis, orElse: () => Effect.void })
      yield* queue.extend(work, (yield* Clock.currentTimeMillis) + Limits.leaseMillis)
    }).pipe(
      // A lease outlives a few beats. Work goes on meanwhile: what it writes is fenced.
      Effect.catchTag("StorageError", (error) =>
        Effect.logWarning(`the lease on ${work.subject} stays as it is`, error)
      )
    )
    return yield* Effect.forever(beat)
  }, Effect.scoped)

  const handBack = (work: Work) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => queue.release(work, now)).pipe(
      Effect.andThen(queue.nudge(Run.topic)),
      Effect.ignore
    )

  const drive = (work: Work) =>
    // The bell is hung up before the first look at the run, so that no cancel is missed in between.
    Effect.raceFirst(heartbeat(work), driver.drive(work)).pipe(
      Effect.onInterrupt(() => handBack(work)),
      Effect.catchTag("LeaseLost", () => Effect.logInfo(`run ${work.subject} is no longer ours`)),
      Effect.catchCause((cause) =>
        // The lease runs out by itself, and another attempt is made.
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logError(`the work on run ${work.subject} broke off`, cause)
      ),
      Effect.ensuring(Effect.sync(() => active--)),
      Effect.ensuring(queue.nudge(Run.topic))
    )

  const claim = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const limit = Limits.runsMax - active
    if (limit <= 0) return []
    const works = yield* queue.claim({ topic: Run.topic, now, limit, leaseUntil: now + Limits.leaseMillis })
    active += works.length
    return works
  })

  const runOnce = Effect.gen(function* () {
    const works = yield* claim
    yield* Effect.forEach(works, drive, { concurrency: "unbounded", discard: true })
    return works.length
  }).pipe(Effect.withSpan("RunScheduler.runOnce"))

  /** With all hands full nothing is due: a run that ends rings. */
  const nextDueAt = Effect.suspend(() => (active < Limits.runsMax ? queue.nextDueAt(Run.topic) : Effect.succeed(null)))

  const forever = Effect.gen(function* () {
    // Interrupts all its fibers at once: runs are handed back side by side.
    const driven = yield* FiberSet.make()
    const start = Effect.gen(function* () {
      const works = yield* claim
      yield* Effect.forEach(works, (work) => FiberSet.run(driven, drive(work)), { discard: true })
      return works.length
    })
    return yield* WorkerLoop.forever({ topic: Run.topic, runOnce: start, nextDueAt, pollMillis: Limits.pollMillis })
  }).pipe(Effect.scoped, Effect.provideService(Queue, queue))

  return RunScheduler.of({ runOnce, forever })
})

export const layer = Layer.effect(RunScheduler, make)
