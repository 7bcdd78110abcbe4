/**
 * Brings due work to workers. A work item names a subject (a run, an upload, a version) that needs work; storage holds
 * the state of the subject. Items are claimed under a lease whose token fences every write.
 */

import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../errors/Errors.ts"
import { Fact } from "../errors/Fact.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Millis } from "../time/Timestamp.ts"

export interface Work {
  readonly partition: Partition
  readonly topic: string
  readonly subject: string
  /** Only ever goes up; every write under the lease names it. */
  readonly lease: number
}

export interface Claim {
  readonly topic: string
  readonly now: Millis
  readonly limit: number
  readonly leaseUntil: Millis
  /** By default the oldest due items come first, whatever their partitions. */
  readonly turns?: ClaimTurns
}

/**
 * Partitions take turns, in the order of their keys, from the one behind `behind` on and around: the workspaces with the fewest
 * items under way come first, and each gives its oldest due item before any gives its second. The items are returned in the order
 * of the turns. However much one workspace has waiting, another waits for no more than its turn.
 */
export interface ClaimTurns {
  readonly behind: string
  /** The claimer's free slots. A workspace at its share (see `Shares`) is skipped. */
  readonly free: number
  /** Items that the claimer has under way, by workspace. */
  readonly held: ReadonlyMap<WorkspaceId, number>
}

/** The outcome of a claimed item: still held, done, or due again at a time. */
export interface Outcome {
  readonly work: Work
  readonly next: "held" | "done" | Millis
}

/** The lease ran out and another worker took the work, or the work is gone. A worker that meets this must stop writing. */
export class LeaseLost extends Fact<LeaseLost>()("LeaseLost", {
  topic: Schema.String,
  subject: Schema.String
}) {}

export class Queue extends Context.Service<
  Queue,
  {
    /**
     * Makes the subject due at `dueAt`, in the surrounding transaction. Another offer replaces the due time and voids any
     * lease.
     */
    readonly offer: (
      partition: Partition,
      topic: string,
      subject: string,
      dueAt: Millis
    ) => Effect.Effect<void, StorageError>
    /** Up to `limit` items due at `now`, leased until `leaseUntil`. No two claims hold one item at a time. */
    readonly claim: (options: Claim) => Effect.Effect<ReadonlyArray<Work>, StorageError>
    /** Extends a lease that is still held. */
    readonly extend: (work: Work, leaseUntil: Millis) => Effect.Effect<void, LeaseLost | StorageError>
    /** Inside a transaction: fails unless the lease is still held, and keeps others from taking it before the commit. */
    readonly guard: (work: Work) => Effect.Effect<void, LeaseLost | StorageError>
    /** Done: removes the item, if the lease is still held. */
    readonly settle: (work: Work) => Effect.Effect<void, LeaseLost | StorageError>
    /** Not done: due again at `dueAt`, for any worker, if the lease is still held. */
    readonly release: (work: Work, dueAt: Millis) => Effect.Effect<void, LeaseLost | StorageError>
    /**
     * Concludes many items inside a transaction: `guard` for held items, `settle` for done items, `release` for items
     * due again. Returns the items with a lost lease, unchanged.
     */
    readonly conclude: (outcomes: ReadonlyArray<Outcome>) => Effect.Effect<ReadonlyArray<Work>, StorageError>
    /** Removes the item regardless of its holder, whose later writes are refused. */
    readonly withdraw: (partition: Partition, topic: string, subject: string) => Effect.Effect<void, StorageError>
    /**
     * Repairs due times from a clock that was ahead: items of the topic beyond `latest` become due at `now`, and held items
     * end their lease at `leaseUntil`. Returns the number of changed items; items up to `latest` stay.
     */
    readonly pullForward: (
      topic: string,
      options: { readonly now: Millis; readonly latest: Millis; readonly leaseUntil: Millis }
    ) => Effect.Effect<number, StorageError>
    /**
     * The earliest due time or lease end of an item of the topic; null without items. Ignores the workspaces in
     * `except`.
     */
    readonly nextDueAt: (
      topic: string,
      except?: ReadonlyArray<WorkspaceId>
    ) => Effect.Effect<Millis | null, StorageError>
    /**
     * Wakes the workers of `topic` in every process, or in every other than this one, after the surrounding commit. May be lost:
     * workers also poll.
     */
    readonly nudge: (topic: string, whom?: "everywhere" | "elsewhere") => Effect.Effect<void>
    /** A doorbell: `await` ends at the first nudge of `topic` since the last one it answered to. */
    readonly doorbell: (topic: string) => Effect.Effect<{ readonly await: Effect.Effect<void> }, never, Scope.Scope>
  }
>()("@limbeck/core/queue/Queue") {}
