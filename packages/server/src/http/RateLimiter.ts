/** One token bucket per API token, and per person who is signed in, shared by all servers; what the law says becomes headers (contract 10). */
import type { RateLimited } from "@limbeck/core/errors/Errors"
import type { RateStore } from "@limbeck/core/rate/RateStore"
import type { RateLimit } from "@limbeck/core/rate/TokenBucket"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerSettings } from "../Settings.ts"
import * as SharedBuckets from "./internal/SharedBuckets.ts"

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes a token from the bucket of an API token or a person; returns the rate limit headers. */
    readonly take: (holder: string) => Effect.Effect<Readonly<Record<string, string>>, RateLimited>
  }
>()("@limbeck/server/http/RateLimiter") {}

/** The remaining tokens, and the seconds until the bucket is full. */
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
    return RateLimiter.of({
      take: (holder) => Effect.map(buckets.take(holder), ({ bucket }) => rateHeaders(rateLimit, bucket.tokens))
    })
  })
)
