/** Work that may be released before the call around it ends. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

export interface ScopedValue<A> {
  readonly value: A
  /** Closes what the work holds open. */
  readonly release: Effect.Effect<void>
}

/** Runs the work in a scope of its own, which closes when the work fails, on `release`, or with the scope around it. */
export const own = Effect.fnUntraced(function* <A, E, R>(
  work: Effect.Effect<A, E, R>
): Effect.fn.Return<ScopedValue<A>, E, Exclude<R, Scope.Scope> | Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const value = yield* Effect.onError(Scope.provide(work, scope), (cause) => Scope.close(scope, Exit.failCause(cause)))
  return { value, release: Scope.close(scope, Exit.void) }
})
