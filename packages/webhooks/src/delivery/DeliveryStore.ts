/**
 * What deliveries need from a database; set-based, because there are many. The promises are tested by the suites
 * `Delivery…Contract` and `DeadLettersContract`.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { dayMillis, type Millis } from "@limbeck/core/time/Timestamp"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Attempt, Delivery, DeliveryStatus, Lane } from "./Delivery.ts"

/** The doorbell of the queue that rings when deliveries may be due. */
export const deliveryTopic = "delivery"

/** How much longer than requested a storage may keep history, where it is removed in ranges. */
export const historyGraceMillis = 7 * dayMillis

/** Of attempts that began longer than this before the `now` of `keepHistory`, `stats` may tell nothing. */
export const statsReachMillis = 2 * dayMillis

/** A delivery that one worker holds. */
export interface ClaimedDelivery {
  readonly partition: Partition
  readonly delivery: Delivery
  /** Every claim has a higher one; a settlement must name it. */
  readonly lease: number
  /** The event as it is stored; what is signed and sent is made of it, in the version of the endpoint. */
  readonly body: string
}

/** The new state of a claimed delivery, and the attempt that was made, if any. */
export interface Settlement {
  readonly partition: Partition
  readonly lease: number
  readonly delivery: Delivery
  readonly attempt: Attempt | null
}

export interface DeliveryFilter {
  readonly endpointId: string
  readonly status: DeliveryStatus | null
  readonly eventType: string | null
}

export interface DeliveryStats {
  readonly attempts: number
  readonly succeeded: number
  /** Deliveries that are not final; of more than a hundred the number may be one second old. */
  readonly pending: number
  readonly deadLettered: number
}

/** Dead-lettered deliveries of one endpoint: made at `since` or later, and given up at `until` or earlier. */
export interface DeadLetters {
  readonly endpointId: string
  readonly since: Millis
  readonly until: Millis
}

/** Deliveries that are leased in their own insert. */
export interface InsertLease {
  readonly ids: ReadonlySet<string>
  readonly leaseUntil: Millis
}

/** How many deliveries of each workspace a claim may take. */
export interface Rooms {
  readonly of: ReadonlyMap<WorkspaceId, number>
  /** Of each workspace that is not in `of`. */
  readonly others: number
}

export interface ClaimOptions {
  readonly lane: Lane
  readonly now: Millis
  readonly limit: number
  readonly leaseUntil: Millis
  /** Without it, a claim may take all that it finds of a workspace. */
  readonly rooms?: Rooms
  readonly perEndpointMax?: number
  /** Ids of endpoints. */
  readonly except?: ReadonlyArray<string>
  /** Ids of endpoints. */
  readonly single?: ReadonlyArray<string>
  /** Ids of endpoints, and how many deliveries of each may be claimed in the place of `perEndpointMax`. */
  readonly many?: { readonly endpoints: ReadonlyArray<string>; readonly max: number }
}

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Inserts deliveries that wait in the surrounding transaction; their events must be appended in it or before. Those named by `held` are
     * claimed by their inserter, from the commit on; returns their leases by delivery id.
     */
    readonly insert: (
      partition: Partition,
      deliveries: ReadonlyArray<Delivery>,
      held?: InsertLease
    ) => Effect.Effect<ReadonlyMap<string, number>, StorageError>
    /**
     * Up to `limit` of one lane due at `now`, oldest due first, leased until `leaseUntil`. The lane of a delivery is what
     * `laneOf` gives for it as it was written last. No two claims hold one delivery at a time. Not more than `perEndpointMax` of one endpoint, `many.max` of those in `many`, one of those in `single`, and none of those in `except`,
     * and of no workspace more than its room: others take their place, so the backlog of one endpoint or workspace hides nobody's work.
     */
    readonly claimDue: (options: ClaimOptions) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError>
    /** Writes states and attempts, frees the leases, and returns the ids of those whose lease was stale: these change nothing. */
    readonly settle: (settlements: ReadonlyArray<Settlement>) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /**
     * Replaces dead-lettered deliveries by the given ones, and returns the ids of those that are no longer dead-lettered or do
     * not exist: these change nothing. Of two concurrent redeliveries of one delivery, one wins.
     */
    readonly redeliver: (
      partition: Partition,
      deliveries: ReadonlyArray<Delivery>
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>
    readonly countDeadLetters: (partition: Partition, letters: DeadLetters) => Effect.Effect<number, StorageError>
    /** By ascending id, after `after`; null begins at the first. */
    readonly deadLetters: (
      partition: Partition,
      letters: DeadLetters,
      request: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<Delivery>, StorageError>
    /**
     * Whether the endpoint has failed since before `since`: the last attempt that began before it failed, and none that
     * began since succeeded.
     */
    readonly hasFailedSince: (
      partition: Partition,
      endpointId: string,
      since: Millis
    ) => Effect.Effect<boolean, StorageError>
    /**
     * What was written after `latest`, by a clock that was ahead, and waits beyond it becomes due at `now`; a lease that ends
     * beyond it ends at `leaseUntil`. Returns how many did; all others stay, however long they wait.
     */
    readonly pullForward: (options: {
      readonly now: Millis
      readonly latest: Millis
      readonly leaseUntil: Millis
    }) => Effect.Effect<number, StorageError>
    /** The earliest time at which a delivery of either lane is due or its lease ends; null when there is none. */
    readonly nextDueAt: Effect.Effect<Millis | null, StorageError>
    /** When the oldest delivery of any partition was made; null where there is none. */
    readonly oldest: Effect.Effect<Millis | null, StorageError>
    /** Newest first. */
    readonly page: (
      partition: Partition,
      filter: DeliveryFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Delivery>, StorageError>
    /** The delivery, if it belongs to the endpoint. */
    readonly find: (
      partition: Partition,
      endpointId: string,
      id: string
    ) => Effect.Effect<Option.Option<Delivery>, StorageError>
    /** Oldest first. */
    readonly attempts: (partition: Partition, deliveryId: string) => Effect.Effect<ReadonlyArray<Attempt>, StorageError>
    /**
     * Attempts started since `since`, which is at most `statsReachMillis` ago, and the deliveries as they are, per endpoint; an
     * endpoint of which there is nothing to count may be absent. It is asked often and must not count history: what settles
     * an attempt, or changes what is dead, counts it in the same transaction.
     */
    readonly stats: (
      partition: Partition,
      endpointIds: ReadonlyArray<string>,
      since: Millis
    ) => Effect.Effect<ReadonlyMap<string, DeliveryStats>, StorageError>
    /**
     * Removes deliveries that were made before `since`, with their attempts, once they are final, and prepares for those of
     * `now` and of the days to come. What was made at `since` or later stays, and what still waits stays whole; of the rest
     * some may stay as well, but none for more than `historyGraceMillis`. No other statement waits for it, and several
     * servers may call it at once. False: it could not finish without making others wait, so call it again later. Must not be
     * called in a transaction.
     */
    readonly keepHistory: (options: {
      readonly now: Millis
      readonly since: Millis
    }) => Effect.Effect<boolean, StorageError>
  }
>()("@limbeck/webhooks/delivery/DeliveryStore") {}
