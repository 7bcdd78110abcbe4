/** What events need from a database. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageError } from "../errors/Errors.ts"
import type { Page, PageRequest } from "../pages/Page.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Millis } from "../time/Timestamp.ts"
import type { StoredEvent } from "./Event.ts"

/** A place in the order of commits, opaque to all but the adapter that made it. */
export type ForwardPosition = string

export interface ForwardPage {
  readonly items: ReadonlyArray<StoredEvent>
  readonly hasMore: boolean
  /** Where to go on; never null, also when `items` is empty. */
  readonly next: ForwardPosition
}

export class EventStore extends Context.Service<
  EventStore,
  {
    /** Appends in the surrounding transaction. */
    readonly append: (partition: Partition, events: ReadonlyArray<StoredEvent>) => Effect.Effect<void, StorageError>
    readonly find: (partition: Partition, id: string) => Effect.Effect<Option.Option<StoredEvent>, StorageError>
    /** Newest first; with `pattern`, only events of matching types. */
    readonly page: (
      partition: Partition,
      pattern: string | null,
      request: PageRequest
    ) => Effect.Effect<Page<StoredEvent>, StorageError>
    /**
     * Oldest first, after `position`; null begins at the start. A walk by `next` meets every event exactly once, also those whose transaction commits late.
     */
    readonly pageForward: (
      partition: Partition,
      options: {
        readonly position: ForwardPosition | null
        readonly pattern: string | null
        readonly limit: number
        readonly createdAfter: number | null
        readonly createdBefore: number | null
      }
    ) => Effect.Effect<ForwardPage, StorageError>
    /**
     * Removes up to `limit` events of any partition older than `createdBefore`, the oldest of each partition first, and
     * returns the count. Forward walks are not affected.
     */
    readonly prune: (createdBefore: Millis, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@limbeck/core/events/EventStore") {}
