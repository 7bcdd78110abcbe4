/** Work that may be let go before the call around it ends. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

export interface Held<A> {
  readonly value: A
  /** Ends what the work holds open. */
  readonly letGo: Effect.Effect<void>
}

/** What it opens is closed when it fails, when it is let go, or with the scope around it. */
export const hold = Effect.fnUntraced(function* <A, E, R>(
  work: Effect.Effect<A, E, R>
): Effect.fn.Return<Held<A>, E, Exclude<R, Scope.Scope> | Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const value = yield* Effect.onError(Scope.provide(work, scope), (cause) => Scope.close(scope, Exit.failCause(cause)))
  return { value, letGo: Scope.close(scope, Exit.void) }
})
