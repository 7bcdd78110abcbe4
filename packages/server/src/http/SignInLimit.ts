/**
 * Limits failed sign-in attempts per client. A secret without a valid tag is a guess: this process counts guesses in memory and sends
 * no query. Used and expired links cost one query each, so all servers on the storage share their count. Guesses and links have
 * separate buckets: a stranger's guesses cannot lock out a client with a good link.
 */
import type { RateLimited, StorageError } from "@limbeck/core/errors/Errors"
import { RateLimited as Limited, SignInRefused } from "@limbeck/core/errors/Errors"
import { LinkSecrets } from "@limbeck/core/people/LinkSecrets"
import type { RateStore } from "@limbeck/core/rate/RateStore"
import * as TokenBucket from "@limbeck/core/rate/TokenBucket"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LocalBuckets } from "./internal/LocalBuckets.ts"
import * as SharedBuckets from "./internal/SharedBuckets.ts"

/** Ten attempts cover a mixed-up link; a refill of one per second shortens the wait of clients behind one address. */
export const signInLimit: TokenBucket.RateLimit = { burst: 10, perSecond: 1 }

export class SignInLimit extends Context.Service<
  SignInLimit,
  {
    /**
     * Runs `attempt` unless `secret` is a guess. A successful attempt does not count. `client`: see `ClientAddress.clientOf`.
     */
    readonly limit: <A, E, R>(
      client: string,
      secret: string,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited | SignInRefused | StorageError, R>
  }
>()("@limbeck/server/http/SignInLimit") {}

/** Counts guesses in memory. */
const guesses = () => {
  const buckets = new LocalBuckets(signInLimit)
  return (client: string, now: number) => {
    const local = buckets.of(client, now)
    const { allowed, bucket, retryAfterSeconds } = TokenBucket.take(signInLimit, local.bucket, now)
    local.bucket = bucket
    return allowed ? new SignInRefused({}) : new Limited({ retryAfterSeconds })
  }
}

export const layer: Layer.Layer<SignInLimit, never, RateStore | LinkSecrets> = Layer.effect(
  SignInLimit,
  Effect.gen(function* () {
    const secrets = yield* LinkSecrets
    const buckets = yield* SharedBuckets.make(signInLimit)
    const refuseGuess = guesses()
    return SignInLimit.of({
      limit: Effect.fnUntraced(function* (client, secret, attempt) {
        if (!(yield* secrets.isGenuine(secret))) return yield* refuseGuess(client, yield* Clock.currentTimeMillis)
        // Ids of tokens and people contain no space, so the keys cannot collide.
        const bucket = yield* buckets.take(`sign-in ${client}`)
        const done = yield* attempt
        yield* buckets.giveBack(bucket)
        return done
      })
    })
  })
)
