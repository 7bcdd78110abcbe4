/**
 * A worker that holds its items under leases, renewed while the work lasts. A lost lease stops its work; a dead worker's
 * leases expire, and other workers continue; a stopped worker hands its items back at once. Workspaces take turns, and none
 * has more items under way than its share of the pool, so endless items leave slots for others.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import type { StorageError } from "../errors/Errors.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import { Limits } from "../Limits.ts"
import type { Pool } from "../pools/Pools.ts"
import { Shares } from "../pools/Shares.ts"
import * as Patience from "../storage/Patience.ts"
import * as ClockWatch from "./ClockWatch.ts"
import { Queue, type Work } from "./Queue.ts"
import * as WorkerLoop from "./WorkerLoop.ts"

export interface LeasedWorkerOptions<E> {
  readonly topic: string
  /** Performs an item's whole work and settles or releases the item; the lease fences its writes. */
  readonly perform: (work: Work) => Effect.Effect<void, E>
  /** Its size is how many items are under way at once in this process. */
  readonly pool: Pool
  readonly leaseMillis: number
  readonly heartbeatMillis: number
  readonly pollMillis: number
  /** A topic whose nudge checks every lease at once; without it leases are checked at heartbeats. */
  readonly alarmTopic?: string
}

export interface LeasedWorker {
  /** Claims due items up to the free slots, performs them, and returns their number. */
  readonly runOnce: Effect.Effect<number, StorageError>
  /** Never ends; interrupting it hands its items back at once. */
  readonly forever: Effect.Effect<never>
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps that share the count of items under way
export const make = Effect.fnUntraced(function* <E>(
  options: LeasedWorkerOptions<E>
): Effect.fn.Return<LeasedWorker, never, Queue> {
  const { alarmTopic, heartbeatMillis, leaseMillis, perform, pollMillis, pool, topic } = options
  const queue = yield* Queue
  /** Items claimed by this process, per workspace. */
  const shares = new Shares<WorkspaceId>(pool.size)
  /** The partition of the last turn. */
  let behind = ""
  /** Whether the last claim may have left due items for want of a slot, or of one in a workspace's share. */
  let mayBeMore = false
  /** Whether the last claim was full and slots remain. */
  let isCutShort = false
  // The end of an item concerns this process alone: a slot is free, or the item has a new due time.
  const [room, changed] = [Latch.makeUnsafe(false), Latch.makeUnsafe(false)]

  const heartbeat = Effect.fnUntraced(function* (work: Work) {
    const alarm = alarmTopic === undefined ? Effect.never : (yield* queue.doorbell(alarmTopic)).await
    const beat = Effect.gen(function* () {
      yield* Effect.timeoutOrElse(alarm, { duration: heartbeatMillis, orElse: () => Effect.void })
      yield* queue.extend(work, (yield* Clock.currentTimeMillis) + leaseMillis)
    }).pipe(
      // A lease outlives several missed heartbeats. The work continues meanwhile, and the lease fences its writes.
      Effect.catchTag("StorageError", (error) =>
        Effect.annotateLogs(Effect.logWarning("lease_not_extended", error), { topic, subject: work.subject })
      )
    )
    return yield* Effect.forever(beat)
  }, Effect.scoped)

  const handBack = (work: Work) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => queue.release(work, now)).pipe(
      Effect.andThen(queue.nudge(topic)),
      // The end of the process waits for it; without it the lease expires.
      Patience.ofRequest,
      Effect.ignore
    )

  const brokeOff = (work: Work) => (cause: Cause.Cause<unknown>) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const error = Cause.squash(cause)
    return typeof error === "object" && error !== null && "_tag" in error && error._tag === "LeaseLost"
      ? Effect.annotateLogs(Effect.logInfo("lease_lost"), { topic, subject: work.subject })
      : // The lease runs out by itself, and another attempt is made.
        Effect.annotateLogs(Effect.logError("work_failed", cause), { topic, subject: work.subject })
  }

  const hold = (work: Work) =>
    // The alarm is registered before the first look at the work, so that no ring is missed in between.
    Effect.raceFirst(heartbeat(work), perform(work)).pipe(
      Effect.onInterrupt(() => handBack(work)),
      Effect.catchCause(brokeOff(work)),
      // As `run: run_…`.
      Effect.annotateLogs({ [topic]: work.subject }),
      Effect.ensuring(
        Effect.sync(() => {
          shares.give(work.partition.workspace)
          if (mayBeMore) room.openUnsafe()
          else changed.openUnsafe()
        })
      )
    )

  const claim = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // The items that have ended by now are counted here: those that end together have one claim.
    room.closeUnsafe()
    const { free, held } = shares
    if (free === 0) return []
    const limit = Math.min(free, Limits.claimMax)
    const works = yield* queue.claim({
      topic,
      now,
      limit,
      leaseUntil: now + leaseMillis,
      turns: { behind, free, held }
    })
    for (const { partition } of works) shares.take(partition.workspace)
    isCutShort = works.length === limit && shares.free > 0
    mayBeMore = works.length === limit || shares.full().length > 0
    behind = works.at(-1)?.partition.key ?? behind
    return works
  })

  const runOnce = Effect.gen(function* () {
    const works = yield* claim
    yield* Effect.forEach(works, hold, { concurrency: "unbounded", discard: true })
    return works.length
  })

  const watchClock = ClockWatch.make(topic, (now) =>
    queue.pullForward(topic, { now, latest: now + Limits.workWaitMaxMillis, leaseUntil: now + leaseMillis })
  )

  /** Without a free slot nothing counts as due: an ending item rings the bell. */
  const nextDueAt = Effect.andThen(
    watchClock,
    Effect.suspend(() => (shares.free > 0 ? queue.nextDueAt(topic, shares.full()) : Effect.succeed(null)))
  )

  const forever = Effect.gen(function* () {
    // Interrupts all its fibers at once: items are handed back side by side.
    const held = yield* FiberSet.make()
    const start = Effect.gen(function* () {
      const works = yield* claim
      yield* Effect.forEach(works, (work) => FiberSet.run(held, hold(work)), { discard: true })
      // A partial claim means that everything due has been claimed, so the loop asks for the next due time at once.
      return isCutShort ? works.length : 0
      // A stop waits for a claim under way: else its items are held until their leases expire.
    }).pipe(Effect.uninterruptible)
    return yield* WorkerLoop.forever({ topic, runOnce: start, nextDueAt, bell: room, changed, pollMillis })
  }).pipe(Effect.scoped, Effect.provideService(Queue, queue))

  return { runOnce, forever }
})
