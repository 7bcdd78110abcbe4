/**
 * Attempts to sign in by one address that fail, bounded in each process. It writes nothing to storage, whoever asks; that no link is
 * guessed is for its 256 random bits.
 */
import { RateLimited } from "@limbeck/core/errors/Errors"
import { type RateLimit, take } from "@limbeck/core/rate/TokenBucket"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { LocalBuckets } from "./LocalBuckets.ts"

/** A person who mistakes one link for another finds out within a few. */
const signInLimit: RateLimit = { burst: 10, perSecond: 0.1 }

export const make = () => {
  const buckets = new LocalBuckets(signInLimit)
  /** An attempt counts from its beginning; one that succeeds is given back. */
  return <A, E, R>(address: string, attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited, R> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const local = buckets.of(address, now)
      const { allowed, bucket, retryAfterSeconds } = take(signInLimit, local.bucket, now)
      local.bucket = bucket
      if (!allowed) return yield* new RateLimited({ retryAfterSeconds: Math.ceil(retryAfterSeconds * 1000) / 1000 })
      const done = yield* attempt
      local.bucket = { ...local.bucket, tokens: local.bucket.tokens + 1 }
      return done
    })
}
