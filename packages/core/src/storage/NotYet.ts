/**
 * Waits for a resource on its way to storage. Work that needs it fails with `NotYet`, which frees its transaction and
 * its idempotency key, and is repeated a moment later.
 */
import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"

export class NotYet<E> {
  readonly _tag = "NotYet"
  /** The failure if the resource never arrives. */
  readonly otherwise: E
  constructor(otherwise: E) {
    this.otherwise = otherwise
  }
}

type ErrorAfterWait<E> = E extends NotYet<infer Otherwise> ? Otherwise : E

/** Repeats the work until its resource exists or the bound is reached. Run it outside of any transaction. */
export const retryUntilReady = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, ErrorAfterWait<E>, R> => {
  const done = (looks: number): Effect.Effect<A, ErrorAfterWait<E>, R> =>
    Effect.catch(work, (error) => {
      // `ErrorAfterWait<E>` equals `E` without `NotYet`; the compiler cannot resolve the conditional type.
      if (!(error instanceof NotYet)) return Effect.fail(error as ErrorAfterWait<E>)
      if (looks >= Limits.looksMax) return Effect.fail(error.otherwise as ErrorAfterWait<E>)
      return Effect.andThen(Effect.sleep(Limits.lookMillis), done(looks + 1))
    })
  return done(1)
}
