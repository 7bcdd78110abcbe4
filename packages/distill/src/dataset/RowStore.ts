/** Stores the rows of versions. RowStoreContract tests the promises. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Page } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Split } from "./Row.ts"

export interface StoredKey {
  /** The position in the version: rows are ordered by key. */
  readonly key: string
  readonly split: Split
}

export interface StoredRow extends StoredKey {
  /** The row as JSON text. */
  readonly body: string
}

export class RowStore extends Context.Service<
  RowStore,
  {
    /** Appends rows and skips rows with a key that the version has. Returns the keys of the appended rows. */
    readonly append: (
      partition: Partition,
      version: string,
      rows: ReadonlyArray<StoredRow>
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Gives rows of the version another body, by key and with the split that they have. Other keys change nothing. */
    readonly replace: (
      partition: Partition,
      version: string,
      rows: ReadonlyArray<Pick<StoredRow, "key" | "body">>
    ) => Effect.Effect<void, StorageError>
    /** By ascending key, after `after`. A page of large rows may end before its limit, and says then that more follow. */
    readonly page: (
      partition: Partition,
      version: string,
      options: { readonly split: Split | null; readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<Page<StoredRow>, StorageError>
    /** The rows of the version among `keys`, in any order. */
    readonly findMany: (
      partition: Partition,
      version: string,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredRow>, StorageError>
    /** All rows by ascending key, in constant memory. */
    readonly scan: (
      partition: Partition,
      version: string,
      split: Split | null
    ) => Stream.Stream<StoredRow, StorageError>
    /** Hands over the keys of all rows, ascending, page by page and in constant memory; no body is read. */
    readonly walkKeys: (
      partition: Partition,
      version: string,
      onPage: (keys: ReadonlyArray<StoredKey>) => void
    ) => Effect.Effect<void, StorageError>
    readonly clear: (partition: Partition, version: string) => Effect.Effect<void, StorageError>
  }
>()("@limbeck/distill/dataset/RowStore") {}
