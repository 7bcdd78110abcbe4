/** Large content, streamed in and out, addressed by its SHA-256. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { StorageError } from "../errors/Errors.ts"
import type { Partition } from "../partition/Partition.ts"

export interface BlobRef {
  /** Lowercase hex. */
  readonly sha256: string
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
  }
>()("@limbeck/core/blobs/Blobs") {}
