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

/** Content on its way: `bytes` of it count, as `write` or `kept` answered. */
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
     * Writes a part, once. What came of the content is kept when it fails or the process dies, and nothing of it can be read
     * under a digest. Fails when the part was sealed or discarded meanwhile.
     */
    readonly write: <E, R>(
      partition: Partition,
      part: string,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<BlobRef, E | StorageError, R>
    /**
     * Bytes of a part that are kept; 0 of an unknown one, or one of another partition. With `most`: as many of them, up to
     * that, as it ever answered or can answer.
     */
    readonly kept: (partition: Partition, part: string, most?: number) => Effect.Effect<number, StorageError>
    /** What the parts, in this order, are as one content. Reads them all. */
    readonly digest: (partition: Partition, parts: ReadonlyArray<Part>) => Effect.Effect<BlobRef, StorageError>
    /**
     * Makes the parts, in this order, one content under the digest of `ref`, for good once the transaction around it has
     * committed. When it does not commit, the parts are as they were, and what can be read under the digest is nobody's.
     */
    readonly seal: (partition: Partition, parts: ReadonlyArray<Part>, ref: BlobRef) => Effect.Effect<void, StorageError>
    /** Lets go of parts; those that were sealed are content by now, and stay. */
    readonly discard: (partition: Partition, parts: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** For workers: contents of all partitions that were last put or sealed before `before`, in constant memory. */
    readonly quiet: (before: Millis) => Stream.Stream<BlobKey, StorageError>
    /**
     * Removes the content, unless it was put or sealed at `before` or later; answers whether it did. Content that is put or
     * sealed at the same time is there when both have ended.
     */
    readonly removeIfQuiet: (
      partition: Partition,
      sha256: string,
      before: Millis
    ) => Effect.Effect<boolean, StorageError>
  }
>()("@limbeck/core/blobs/Blobs") {}
