/** One token bucket per API token, in this process; what the law says becomes headers (contract 10). */
import { RateLimited } from "@limbeck/core/errors/Errors"
import { type Bucket, full, type RateLimit, take } from "@limbeck/core/rate/TokenBucket"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerSettings } from "../Settings.ts"

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes one; answers the headers that tell what is left. */
    readonly take: (tokenId: string) => Effect.Effect<Readonly<Record<string, string>>, RateLimited>
  }
>()("@limbeck/server/http/RateLimiter") {}

/** What is left of a bucket, and in how many seconds it is full again. */
export const rateHeaders = ({ burst, perSecond }: RateLimit, tokens: number): Readonly<Record<string, string>> => ({
  ratelimit: `"default";r=${Math.floor(tokens)};t=${Math.ceil((burst - tokens) / perSecond)}`,
  "ratelimit-policy": `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`
})

/** Buckets kept; the one unused for longest goes first, and a token that comes back finds its bucket full. */
const bucketsMax = 10_000

export const layer: Layer.Layer<RateLimiter> = Layer.effect(
  RateLimiter,
  Effect.gen(function* () {
    const { rateLimit } = yield* ServerSettings
    if (rateLimit === null) return RateLimiter.of({ take: () => Effect.succeed({}) })
    const buckets = new Map<string, Bucket>()

    return RateLimiter.of({
      take: Effect.fnUntraced(function* (tokenId: string) {
        const now = yield* Clock.currentTimeMillis
        const taken = take(rateLimit, buckets.get(tokenId) ?? full(rateLimit, now), now)
        buckets.delete(tokenId)
        buckets.set(tokenId, taken.bucket)
        if (buckets.size > bucketsMax) buckets.delete(buckets.keys().next().value ?? tokenId)
        if (!taken.allowed) {
          return yield* new RateLimited({ retryAfterSeconds: Math.ceil(taken.retryAfterSeconds * 1000) / 1000 })
        }
        return rateHeaders(rateLimit, taken.bucket.tokens)
      })
    })
  })
)
