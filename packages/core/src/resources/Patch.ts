/** Patches of resources: what is absent stays. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { InvalidInput } from "../errors/Errors.ts"

/** The field's next value. One that stays is not checked again: rules may have become stricter since. */
export const changed = <A>(
  value: A | undefined,
  kept: A,
  rule: (value: A) => Result.Result<A, InvalidInput>
): Effect.Effect<A, InvalidInput> => (value === undefined ? Effect.succeed(kept) : Effect.fromResult(rule(value)))

/** Only what was given; an absent member and one that is undefined are the same. */
export const given = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined> // What the filter just did.
  }
