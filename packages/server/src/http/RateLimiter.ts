/** One token bucket per API token, and per person who is signed in, shared by all servers; what the law says becomes headers (contract 10). */
import { RateLimited } from "@limbeck/core/errors/Errors"
import type { RateStore } from "@limbeck/core/rate/RateStore"
import { type RateLimit, take } from "@limbeck/core/rate/TokenBucket"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerSettings } from "../Settings.ts"
import * as SharedBuckets from "./internal/SharedBuckets.ts"

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes one of the bucket of a token or a person, by their id; returns the headers that show what is left. */
    readonly take: (holder: string) => Effect.Effect<Readonly<Record<string, string>>, RateLimited>
  }
>()("@limbeck/server/http/RateLimiter") {}

/** What is left of a bucket, and in how many seconds it is full again. */
export const rateHeaders = ({ burst, perSecond }: RateLimit, tokens: number): Readonly<Record<string, string>> => ({
  ratelimit: `"default";r=${Math.floor(tokens)};t=${Math.ceil((burst - tokens) / perSecond)}`,
  "ratelimit-policy": `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`
})

export const layer: Layer.Layer<RateLimiter, never, RateStore> = Layer.effect(
  RateLimiter,
  Effect.gen(function* () {
    const { rateLimit } = yield* ServerSettings
    if (rateLimit === null) {
      const nothing = Effect.succeed({})
      return RateLimiter.of({ take: () => nothing })
    }
    const buckets = yield* SharedBuckets.make(rateLimit)

    const attempt = (holder: string) =>
      Effect.clockWith((clock): Effect.Effect<Readonly<Record<string, string>>, RateLimited> => {
        const now = clock.currentTimeMillisUnsafe()
        const local = buckets.of(holder, now)
        const { allowed, bucket, retryAfterSeconds } = take(rateLimit, local.bucket, now)
        if (allowed && buckets.isAhead(local)) return Effect.andThen(buckets.roundEnd, attempt(holder))
        local.bucket = bucket
        if (!allowed)
          return Effect.fail(new RateLimited({ retryAfterSeconds: Math.ceil(retryAfterSeconds * 1000) / 1000 }))
        buckets.count(local, now)
        return Effect.succeed(rateHeaders(rateLimit, bucket.tokens))
      })
    return RateLimiter.of({ take: attempt })
  })
)
