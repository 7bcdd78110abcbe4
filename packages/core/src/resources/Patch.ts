/** Patches of resources: absent members stay unchanged. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { InvalidInput } from "../errors/Errors.ts"

/** The next value of a field. An unchanged value is not validated again, because rules may have become stricter. */
export const nextValue = <A>(
  value: A | undefined,
  kept: A,
  rule: (value: A) => Result.Result<A, InvalidInput>
): Effect.Effect<A, InvalidInput> => (value === undefined ? Effect.succeed(kept) : Effect.fromResult(rule(value)))

/** The given members only; an undefined member counts as absent. */
export const definedFields = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined> // What the filter just did.
  }
