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
     * Commits everything inside `self` when it succeeds, and nothing when it fails, dies or is interrupted. Nothing is
     * visible outside before the commit. A nested transaction joins the outer one: if its failure is caught, its writes
     * stay with the outer one.
     */
    readonly transaction: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /**
     * Runs `effect` after the surrounding transaction has committed, never after a rollback; at once outside of a
     * transaction.
     */
    readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
    /**
     * Runs `self` in the host's transaction on `client`: its writes commit with that transaction, or not at all. A failure
     * of `self` undoes its writes, and the host may continue its transaction.
     */
    readonly inHostTransaction: <A, E, R>(
      client: HostClient,
      self: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | HostTransactionError, R>
    /**
     * False inside `inHostTransaction`, whose commit is not observable: `afterCommit` is a defect there, and no write may
     * depend on it. `Queue.nudge` still takes effect after the commit.
     */
    readonly seesCommit: Effect.Effect<boolean>
    /** Succeeds when storage answers: `read_only` when it takes no writes at present, or refused one a moment ago. */
    readonly health: Effect.Effect<StorageState, StorageError>
  }
>()("@limbeck/core/storage/Storage") {}
