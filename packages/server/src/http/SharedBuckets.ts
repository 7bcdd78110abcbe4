/**
 * Token buckets that this process counts by itself and shares with others through storage: it tells what it let through
 * within 200 ms, many buckets at once, and hears what is left for all. No request waits for that, unless its token is far
 * ahead of what was told; so all servers together let through no more than the limit, and `untoldMax` for each of them but one.
 */
import { RateStore } from "@limbeck/core/rate/RateStore"
import { type Bucket, full, fullAfterMillis, learn, type RateLimit, untoldMax } from "@limbeck/core/rate/TokenBucket"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { sweeping } from "../Sweeping.ts"

/** Buckets kept; the one unused for longest goes first, and a token that comes back finds its bucket full. */
const bucketsMax = 10_000
/** What was let through is told so soon, or at once when it is half of what a server may be ahead. */
const tellMillis = 200
/** Storage that has not answered by then is down: each process goes on with what it knows. */
const answerMillis = 1_000

/** Buckets stay in storage for so much longer than it takes to fill them: servers' clocks differ. */
const spareMillis = 60_000

/** What this process knows of a bucket. */
export interface Known {
  readonly key: string
  bucket: Bucket
  /** Uses that storage is being told of. */
  telling: number
  untold: number
  /** When the first untold use was. */
  since: Millis
}

export const make = Effect.fnUntraced(function* (limit: RateLimit) {
  const store = yield* RateStore
  const aheadMax = untoldMax(limit)
  const keptMillis = fullAfterMillis(limit) + spareMillis
  const hurryAt = Math.ceil(aheadMax / 2)
  const buckets = new Map<string, Known>()
  let untold = new Map<string, Known>()
  const something = Latch.makeUnsafe(false)
  const hurry = Latch.makeUnsafe(false)
  /** Opens when the round under way, or else the next one, is over; whoever still waits then takes the one after. */
  let roundOver = Latch.makeUnsafe(false)
  let isDown = false

  const begin = () => {
    const round = [...untold.values()]
    untold = new Map()
    something.closeUnsafe()
    hurry.closeUnsafe()
    for (const known of round) {
      known.telling = known.untold
      known.untold = 0
    }
    return round
  }

  const end = (round: ReadonlyArray<Known>) => {
    for (const known of round) known.telling = 0
    const over = roundOver
    roundOver = Latch.makeUnsafe(false)
    over.openUnsafe()
  }

  const tell = Effect.fnUntraced(function* (round: ReadonlyArray<Known>) {
    const uses = round.map(({ key, since, telling }) => ({ key, count: telling, from: since }))
    const shared = yield* Effect.timeout(store.tell(limit, uses), answerMillis)
    const now = yield* Clock.currentTimeMillis
    for (const [index, known] of round.entries()) {
      // Storage answers each that it was asked.
      known.bucket = learn(limit, known.bucket, shared[index]!, known.untold, now)
    }
    isDown = false
  })

  /** Uses that could not be told are forgotten by the others, never by this process. */
  const standAlone = (cause: unknown) => {
    const isNews = !isDown
    isDown = true
    return isNews ? Effect.logWarning("rate limits are not shared: storage did not answer", cause) : Effect.void
  }

  const round = Effect.gen(function* () {
    yield* something.await
    yield* Effect.timeoutOption(hurry.await, tellMillis)
    const told = begin()
    yield* Effect.ensuring(
      Effect.catchCause(tell(told), standAlone),
      Effect.sync(() => end(told))
    )
  })
  yield* Effect.forkScoped(Effect.forever(round))
  yield* Effect.forkScoped(sweeping("rate limits", (now, batch) => store.sweep(now - keptMillis, batch)))

  return {
    /** The bucket of a token. */
    of: (key: string, now: Millis): Known => {
      const known = buckets.get(key) ??
        untold.get(key) ?? { key, bucket: full(limit, now), telling: 0, untold: 0, since: now }
      buckets.delete(key)
      buckets.set(key, known)
      if (buckets.size > bucketsMax) buckets.delete(buckets.keys().next().value ?? key)
      return known
    },
    /** Counts one that was let through. */
    count: (known: Known, now: Millis): void => {
      if (known.untold === 0) {
        known.since = now
        untold.set(known.key, known)
        something.openUnsafe()
      }
      known.untold += 1
      if (known.untold >= hurryAt) hurry.openUnsafe()
    },
    /** Whether others must hear of this one first. */
    isAhead: ({ telling, untold }: Known): boolean => telling + untold >= aheadMax,
    told: Effect.suspend(() => roundOver.await)
  }
})
