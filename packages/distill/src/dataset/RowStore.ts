/** Where the rows of versions are. The promises are tested by RowStoreContract. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Page } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Split } from "./Row.ts"

export interface StoredRow {
  /** Its place in the version: rows are ordered by it. */
  readonly key: string
  readonly split: Split
  /** The row as JSON text. */
  readonly body: string
}

export class RowStore extends Context.Service<
  RowStore,
  {
    /** Appends rows; one whose key the version has already is passed over, so that a build may begin again. */
    readonly append: (
      partition: Partition,
      version: string,
      rows: ReadonlyArray<StoredRow>
    ) => Effect.Effect<void, StorageError>
    /** By ascending key, after `after`. */
    readonly page: (
      partition: Partition,
      version: string,
      options: { readonly split: Split | null; readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<Page<StoredRow>, StorageError>
    /** All rows by ascending key, in constant memory. */
    readonly scan: (
      partition: Partition,
      version: string,
      split: Split | null
    ) => Stream.Stream<StoredRow, StorageError>
    readonly clear: (partition: Partition, version: string) => Effect.Effect<void, StorageError>
  }
>()("@limbeck/distill/dataset/RowStore") {}
