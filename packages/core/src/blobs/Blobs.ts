/** Large content, streamed in and out, addressed by its SHA-256. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { StorageError } from "../errors/Errors.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Millis } from "../time/Timestamp.ts"

export interface BlobRef {
  /** Lowercase hex. */
  readonly sha256: string
  readonly bytes: number
}

/** What names a content. */
export interface BlobKey {
  readonly partition: Partition
  readonly sha256: string
}

/** Content in transfer; the first `bytes` of the part count, as returned by `write` or `storedBytes`. */
export interface Part {
  readonly id: string
  readonly bytes: number
}

export class Blobs extends Context.Service<
  Blobs,
  {
    /** Keeps the content in constant memory. If `content` fails or the process dies, nothing can be read under any digest. */
    readonly put: <E, R>(
      partition: Partition,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<BlobRef, E | StorageError, R>
    /** The same bytes in the same order; empty for an unknown digest or one of another partition. */
    readonly get: (partition: Partition, sha256: string) => Stream.Stream<Uint8Array, StorageError>
    readonly exists: (partition: Partition, sha256: string) => Effect.Effect<boolean, StorageError>
    /** A part for one writer. It lives for a day after the last write to it. */
    readonly begin: (partition: Partition) => Effect.Effect<string, StorageError>
    /**
     * Writes a part once. After a failure or a crash the received content stays, unreadable under any digest. Fails if
     * the part was sealed or discarded meanwhile.
     */
    readonly write: <E, R>(
      partition: Partition,
      part: string,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<BlobRef, E | StorageError, R>
    /**
     * The stored bytes of a part; 0 for an unknown part and for another partition. With `most`, the greatest count up
     * to `most` that it ever returned or can return.
     */
    readonly storedBytes: (partition: Partition, part: string, most?: number) => Effect.Effect<number, StorageError>
    /** The digest and size of the parts, concatenated in this order. Reads all parts. */
    readonly digest: (partition: Partition, parts: ReadonlyArray<Part>) => Effect.Effect<BlobRef, StorageError>
    /**
     * Turns the parts, in this order, into one content under the digest of `ref` when the surrounding transaction
     * commits. After a rollback the parts are unchanged, and no reference to the digest exists.
     */
    readonly seal: (partition: Partition, parts: ReadonlyArray<Part>, ref: BlobRef) => Effect.Effect<void, StorageError>
    /** Discards parts. Sealed parts are content and stay. */
    readonly discard: (partition: Partition, parts: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** For workers: contents of all partitions that were last put or sealed before `before`, in constant memory. */
    readonly quiet: (before: Millis) => Stream.Stream<BlobKey, StorageError>
    /**
     * Removes the content, unless it was put or sealed at `before` or later; returns whether it did. Content put or sealed
     * concurrently exists in the end.
     */
    readonly removeIfQuiet: (
      partition: Partition,
      sha256: string,
      before: Millis
    ) => Effect.Effect<boolean, StorageError>
  }
>()("@limbeck/core/blobs/Blobs") {}
