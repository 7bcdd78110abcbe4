/** The unit of work that every store joins. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../errors/Errors.ts"
import type { HostClient, HostTransactionError } from "./HostTransaction.ts"

export type StorageState = "ok" | "read_only"

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
    /**
     * Runs `self` in the transaction that the host has begun on `client`: what `self` writes commits with it, or never
     * happened. When `self` fails, what it wrote is undone, and the host may go on with its transaction.
     */
    readonly inHostTransaction: <A, E, R>(
      client: HostClient,
      self: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | HostTransactionError, R>
    /**
     * False inside `inHostTransaction`: nobody here sees that commit, so `afterCommit` is a defect there, and nothing may be
     * written that counts on it. What `Queue.nudge` says is heard after the commit all the same.
     */
    readonly seesCommit: Effect.Effect<boolean>
    /** Succeeds when storage answers: `read_only` when it takes no writes at present, or refused one a moment ago. */
    readonly health: Effect.Effect<StorageState, StorageError>
  }
>()("@limbeck/core/storage/Storage") {}
