/** One token bucket per API token, shared by all servers; what the law says becomes headers (contract 10). */
import { RateLimited } from "@limbeck/core/errors/Errors"
import type { RateStore } from "@limbeck/core/rate/RateStore"
import { type RateLimit, take } from "@limbeck/core/rate/TokenBucket"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerSettings } from "../Settings.ts"
import * as SharedBuckets from "./internal/SharedBuckets.ts"

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes one; returns the headers that show what is left. */
    readonly take: (tokenId: string) => Effect.Effect<Readonly<Record<string, string>>, RateLimited>
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
    if (rateLimit === null) return RateLimiter.of({ take: () => Effect.succeed({}) })
    const buckets = yield* SharedBuckets.make(rateLimit)

    return RateLimiter.of({
      take: Effect.fnUntraced(function* (tokenId: string) {
        let now = yield* Clock.currentTimeMillis
        const local = buckets.of(tokenId, now)
        let taken = take(rateLimit, local.bucket, now)
        while (taken.allowed && buckets.isAhead(local)) {
          yield* buckets.roundEnd
          now = yield* Clock.currentTimeMillis
          taken = take(rateLimit, local.bucket, now)
        }
        local.bucket = taken.bucket
        if (!taken.allowed) {
          return yield* new RateLimited({ retryAfterSeconds: Math.ceil(taken.retryAfterSeconds * 1000) / 1000 })
        }
        buckets.count(local, now)
        return rateHeaders(rateLimit, taken.bucket.tokens)
      })
    })
  })
)
