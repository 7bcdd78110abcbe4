/**
 * What is on its way and not there yet. Work that needs it fails with `NotYet`, so that its transaction and its idempotency
 * key are free again, and is done anew a moment later.
 */
import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"

export class NotYet<E> {
  readonly _tag = "NotYet"
  /** What it fails with if that never comes. */
  readonly otherwise: E
  constructor(otherwise: E) {
    this.otherwise = otherwise
  }
}

type Awaited<E> = E extends NotYet<infer Otherwise> ? Otherwise : E

/** Does the work again until what it needs is there, or was looked for long enough. Run it outside of any transaction. */
export const awaited = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, Awaited<E>, R> => {
  const done = (looks: number): Effect.Effect<A, Awaited<E>, R> =>
    Effect.catch(work, (error) => {
      // What `E` is of, `Awaited<E>` is of; the compiler does not see through the condition.
      if (!(error instanceof NotYet)) return Effect.fail(error as Awaited<E>)
      if (looks >= Limits.looksMax) return Effect.fail(error.otherwise as Awaited<E>)
      return Effect.andThen(Effect.sleep(Limits.lookMillis), done(looks + 1))
    })
  return done(1)
}
