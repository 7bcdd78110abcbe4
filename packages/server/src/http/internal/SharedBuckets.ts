/**
 * Token buckets shared by servers. Each process counts by itself, reports its uses within 200 ms, many buckets at once, and
 * learns the shared rest. No request waits for the report, unless its token is far ahead of reported uses; so all servers
 * together admit at most the limit, plus `untoldMax` for each server but one.
 *
 *     request            this process                                    storage
 *
 *     count ──────────►  unreported + 1
 *                             │ 200 ms after the first use, at once when urgent
 *                        begin: reporting = unreported, unreported = 0
 *                             │─────────────── uses ──────────────────►  shared bucket - uses
 *                        learn: bucket = shared - unreported  ◄────────  shared bucket, within 1 s
 *                             │                   (a time-out or an error: bucket stays as it is)
 *     waiting  ◄─────────  end: reporting = 0
 *
 * 1. Rounds run one at a time, and `reporting` is 0 outside them.
 * 2. `reporting + unreported` is at most `untoldMax`: a use beyond it waits for the end of a round.
 * 3. Each use is reported by one round at most.
 * 4. `bucket` includes every use of this process, for any outcome of the rounds.
 *
 * A returned use counts as -1, and is reported like one.
 */
import { RateLimited } from "@limbeck/core/errors/Errors"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { type RateLimit, take as takeOf } from "@limbeck/core/rate/TokenBucket"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { type LocalBucket, LocalBuckets } from "./LocalBuckets.ts"

/** How soon after its first use a round begins. */
const reportMillis = 200
/** Beyond this, storage counts as down: each process relies on its own counts. */
const answerMillis = 1_000

const report = Effect.fnUntraced(function* (
  limit: RateLimit,
  buckets: LocalBuckets,
  round: ReadonlyArray<LocalBucket>
) {
  const store = yield* RateStore
  const uses = round.map(({ key, reporting, since }) => ({ key, count: reporting, from: since }))
  const shared = yield* Effect.timeout(store.tell(limit, uses), answerMillis)
  const now = yield* Clock.currentTimeMillis
  // Storage returns one for each use, in their order.
  for (const [index, local] of round.entries()) buckets.learn(local, shared[index]!, now)
})

/** Reports until the surrounding scope closes. */
export const make = Effect.fnUntraced(function* (limit: RateLimit) {
  const buckets = new LocalBuckets(limit)
  const isUsed = Latch.makeUnsafe(false)
  const isUrgent = Latch.makeUnsafe(false)
  /** Opens at the end of the round under way, or else of the next one. */
  let roundEnd = Latch.makeUnsafe(false)
  let isDown = false

  const end = (reporting: ReadonlyArray<LocalBucket>) => {
    buckets.end(reporting)
    const ended = roundEnd
    roundEnd = Latch.makeUnsafe(false)
    ended.openUnsafe()
  }

  const failed = (cause: unknown) => {
    const isNews = !isDown
    isDown = true
    return isNews ? Effect.logWarning("rate_limits_not_shared", cause) : Effect.void
  }
  const reported = Effect.sync(() => {
    isDown = false
  })

  const round = Effect.gen(function* () {
    yield* isUsed.await
    yield* Effect.timeoutOption(isUrgent.await, reportMillis)
    isUsed.closeUnsafe()
    isUrgent.closeUnsafe()
    const reporting = buckets.begin()
    yield* report(limit, buckets, reporting).pipe(
      Effect.andThen(reported),
      Effect.catchCause(failed),
      Effect.ensuring(Effect.sync(() => end(reporting)))
    )
  })
  yield* Effect.forkScoped(Effect.forever(round))

  /** Takes a token of the bucket and returns the bucket; waits if this server is too far ahead. */
  const take = (key: string): Effect.Effect<LocalBucket, RateLimited> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const local = buckets.of(key, now)
      const { allowed, bucket, retryAfterSeconds } = takeOf(limit, local.bucket, now)
      if (allowed && buckets.isAhead(local)) return Effect.andThen(roundEnd.await, take(key))
      local.bucket = bucket
      if (!allowed)
        return Effect.fail(new RateLimited({ retryAfterSeconds: Math.ceil(retryAfterSeconds * 1000) / 1000 }))
      buckets.count(local, 1, now)
      isUsed.openUnsafe()
      if (buckets.isUrgent(local)) isUrgent.openUnsafe()
      return Effect.succeed(local)
    })

  /** As if it had not been taken, here and for all. */
  const giveBack = (local: LocalBucket): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      local.bucket = { ...local.bucket, tokens: local.bucket.tokens + 1 }
      buckets.count(local, -1, now)
      isUsed.openUnsafe()
    })

  return { take, giveBack }
})
