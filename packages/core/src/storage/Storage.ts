/** The unit of work that every store joins. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../errors/Errors.ts"

export class Storage extends Context.Service<
  Storage,
  {
    /**
     * What happens inside commits whole when `self` succeeds, and did not happen at all when it fails, dies or is
     * interrupted. Nothing of it is visible outside before the commit. A transaction inside another joins it and is no
     * unit of its own: if its failure is caught there, what it wrote stays with the outer one.
     */
    readonly transaction: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /** Runs `effect` once the surrounding transaction has committed, never when it rolls back; at once outside of one. */
    readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
    /** Succeeds when storage answers. */
    readonly health: Effect.Effect<void, StorageError>
  }
>()("@limbeck/core/storage/Storage") {}
