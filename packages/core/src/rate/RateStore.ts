/** Token buckets that several servers share. A server counts by itself, and tells the others now and then, many at once. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../errors/Errors.ts"
import type { Millis } from "../time/Timestamp.ts"
import type { Bucket, RateLimit, Uses } from "./TokenBucket.ts"

/** The uses of one bucket. Keys are token ids, unique across partitions. */
export interface KeyedUses extends Uses {
  readonly key: string
}

export class RateStore extends Context.Service<
  RateStore,
  {
    /**
     * Applies `TokenBucket.tell` to each bucket and returns the buckets in the order of the request; an unknown bucket
     * counts as full. Concurrent calls lose no use. A key occurs once per call. Runs outside of the caller's
     * transaction, because the counted uses have happened even if the request fails.
     */
    readonly tell: (
      limit: RateLimit,
      uses: ReadonlyArray<KeyedUses>
    ) => Effect.Effect<ReadonlyArray<Bucket>, StorageError>
    /** Removes up to `limit` buckets without uses since `before`, and returns the count. */
    readonly sweep: (before: Millis, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@limbeck/core/rate/RateStore") {}
