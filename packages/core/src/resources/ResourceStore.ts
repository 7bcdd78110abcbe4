/** What services need from a database for resources of low volume. The promises below are tested by ResourceStoreContract. */

import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { StorageError } from "../errors/Errors.ts"
import { Fact } from "../errors/Fact.ts"
import type { Page, PageRequest } from "../pages/Page.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Kind, Resource, StoredResource } from "./Kind.ts"

/** The id or the unique name is taken in this partition. */
export class AlreadyExists extends Fact<AlreadyExists>()("AlreadyExists", {
  kind: Schema.String,
  id: Schema.String
}) {}

/** Somebody else wrote first, or the resource is gone. */
export class RevisionConflict extends Fact<RevisionConflict>()("RevisionConflict", {
  kind: Schema.String,
  id: Schema.String,
  revision: Schema.Int
}) {}

export class ResourceStore extends Context.Service<
  ResourceStore,
  {
    /** Inserts at revision 0. A taken id or unique name fails and changes nothing, also inside a transaction that goes on. */
    readonly insert: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      value: A
    ) => Effect.Effect<void, AlreadyExists | StorageError>
    /**
     * Like `insert`, for a value with a new id and a kind without unique names, so that no caller waits for the answer.
     * A taken id fails as storage; inside a transaction, at its commit at the latest.
     */
    readonly add: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      value: A
    ) => Effect.Effect<void, StorageError>
    /** Sees only its partition and kind. */
    readonly find: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      id: string
    ) => Effect.Effect<Option.Option<StoredResource<A>>, StorageError>
    /** The one with this unique name in the partition. */
    readonly findUnique: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      unique: string
    ) => Effect.Effect<Option.Option<StoredResource<A>>, StorageError>
    /**
     * Writes only if the stored revision is still `stored.revision`, then increments it, and only if the unique name is
     * free; otherwise fails and changes nothing, even inside a transaction that continues.
     */
    readonly compareAndSet: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      stored: StoredResource<A>
    ) => Effect.Effect<StoredResource<A>, RevisionConflict | StorageError>
    /**
     * Like `compareAndSet` for many resources of a kind without unique names, each written or rejected independently.
     * Returns the rejected ids.
     */
    readonly compareAndSetMany: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      stored: ReadonlyArray<StoredResource<A>>
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Returns whether the resource existed. */
    readonly remove: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      id: string
    ) => Effect.Effect<boolean, StorageError>
    /** Newest first; only resources with every one of `labels`. */
    readonly page: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      labels: ReadonlyArray<string>,
      request: PageRequest
    ) => Effect.Effect<Page<A>, StorageError>
    /** Resources with at least one of `labels`, oldest first. */
    readonly findByLabels: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      labels: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<A>, StorageError>
    /** The existing resources among `ids`, in any order. */
    readonly findMany: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredResource<A>>, StorageError>
  }
>()("@limbeck/core/resources/ResourceStore") {}
