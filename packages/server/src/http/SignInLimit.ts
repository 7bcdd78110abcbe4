/**
 * Attempts to sign in by one address that fail, bounded over all servers on the storage. An attempt beyond the limit writes nothing;
 * that no link is guessed is for its 256 random bits.
 */
import type { RateLimited } from "@limbeck/core/errors/Errors"
import type { RateStore } from "@limbeck/core/rate/RateStore"
import type { RateLimit } from "@limbeck/core/rate/TokenBucket"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SharedBuckets from "./internal/SharedBuckets.ts"

/** A person who mistakes one link for another finds out within a few. */
export const signInLimit: RateLimit = { burst: 10, perSecond: 0.1 }

export class SignInLimit extends Context.Service<
  SignInLimit,
  {
    /** An attempt counts from its beginning; one that succeeds is given back. */
    readonly limited: <A, E, R>(
      address: string,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
  }
>()("@limbeck/server/http/SignInLimit") {}

export const layer: Layer.Layer<SignInLimit, never, RateStore> = Layer.effect(
  SignInLimit,
  Effect.map(SharedBuckets.make(signInLimit), (buckets) =>
    SignInLimit.of({
      limited: Effect.fnUntraced(function* (address, attempt) {
        // Ids of tokens and people have no space, so no address is taken for one.
        const bucket = yield* buckets.take(`sign-in ${address}`)
        const done = yield* attempt
        yield* buckets.giveBack(bucket)
        return done
      })
    })
  )
)
