/**
 * Attempts to sign in by one client that fail. A secret that no server of the installation made is a guess: it is counted in the
 * memory of this process and costs no query. A link that was made here and is used or expired costs one, so these are counted
 * over all servers on the storage. The two count apart: a stranger who guesses keeps nobody with a good link out.
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

/** A person who mistakes one link for another finds out within a few, and clients behind one address wait a second at most. */
export const signInLimit: TokenBucket.RateLimit = { burst: 10, perSecond: 1 }

export class SignInLimit extends Context.Service<
  SignInLimit,
  {
    /**
     * `client`: `ClientAddress.clientOf`. A guess is refused without the attempt. Another attempt counts from its beginning; one that
     * succeeds is given back.
     */
    readonly limited: <A, E, R>(
      client: string,
      secret: string,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited | SignInRefused | StorageError, R>
  }
>()("@limbeck/server/http/SignInLimit") {}

/** Counts in the memory of this process. */
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
      limited: Effect.fnUntraced(function* (client, secret, attempt) {
        if (!(yield* secrets.isGenuine(secret))) return yield* refuseGuess(client, yield* Clock.currentTimeMillis)
        // Ids of tokens and people have no space, so no client is taken for one.
        const bucket = yield* buckets.take(`sign-in ${client}`)
        const done = yield* attempt
        yield* buckets.giveBack(bucket)
        return done
      })
    })
  })
)
