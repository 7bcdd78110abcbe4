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
  /** The stored event; the signed body is built from it, in the endpoint's version. */
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

/** Deliveries leased by their own insert. */
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
     * Up to `limit` of one lane due at `now`, oldest due first, leased until `leaseUntil`. The lane of a delivery follows
     * by `laneOf` from its last written state. No two claims hold one delivery at a time. Not more than `perEndpointMax` of one endpoint, `many.max` of those in `many`, one of those in `single`, and none of those in `except`,
     * and of no workspace more than its room: others take their place, so the backlog of one endpoint or workspace hides nobody's work.
     */
    readonly claimDue: (options: ClaimOptions) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError>
    /** Writes states and attempts, and frees the leases. Returns the ids with a stale lease: these change nothing. */
    readonly settle: (settlements: ReadonlyArray<Settlement>) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /**
     * Replaces dead-lettered deliveries by the given ones. Returns the ids that do not exist or are no longer
     * dead-lettered: these change nothing. Only one of two concurrent redeliveries of a delivery succeeds.
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
     * Whether the endpoint has failed since before `since`: its last attempt before `since` failed, and no later attempt
     * succeeded.
     */
    readonly hasFailedSince: (
      partition: Partition,
      endpointId: string,
      since: Millis
    ) => Effect.Effect<boolean, StorageError>
    /**
     * Repairs times written after `latest`, by a clock that was ahead: a later due time becomes `now`, and a later lease
     * end becomes `leaseUntil`. Returns the number of changes; all other deliveries stay, for any waiting time.
     */
    readonly pullForward: (options: {
      readonly now: Millis
      readonly latest: Millis
      readonly leaseUntil: Millis
    }) => Effect.Effect<number, StorageError>
    /** The earliest time at which a delivery of either lane is due or its lease ends; null when there is none. */
    readonly nextDueAt: Effect.Effect<Millis | null, StorageError>
    /** The creation time of the oldest delivery of any partition; null without deliveries. */
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
     * Per endpoint: attempts started since `since`, at most `statsReachMillis` ago, and deliveries by status; an endpoint
     * without counts may be absent. Must not scan history, because callers ask often: a write that settles an attempt, or
     * changes dead letters, updates the counts in the same transaction.
     */
    readonly stats: (
      partition: Partition,
      endpointIds: ReadonlyArray<string>,
      since: Millis
    ) => Effect.Effect<ReadonlyMap<string, DeliveryStats>, StorageError>
    /**
     * Removes final deliveries made before `since`, with their attempts, and prepares for those of `now` and the coming
     * days. Deliveries made at `since` or later stay, and waiting ones stay whole; others may outlive `since` by at most
     * `historyGraceMillis`. Never blocks other statements, and several servers may call it at once. False: finishing would
     * have blocked others, so call again later. Must not run in a transaction.
     */
    readonly keepHistory: (options: {
      readonly now: Millis
      readonly since: Millis
    }) => Effect.Effect<boolean, StorageError>
  }
>()("@limbeck/webhooks/delivery/DeliveryStore") {}
