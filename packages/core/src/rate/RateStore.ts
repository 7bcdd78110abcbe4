/** Token buckets that several servers share. A server counts by itself, and tells the others now and then, many at once. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../errors/Errors.ts"
import type { Millis } from "../time/Timestamp.ts"
import type { Bucket, RateLimit, Uses } from "./TokenBucket.ts"

/** The uses of one bucket. Keys are ids of tokens, which no two partitions share. */
export interface KeyedUses extends Uses {
  readonly key: string
}

export class RateStore extends Context.Service<
  RateStore,
  {
    /**
     * Applies `TokenBucket.tell` to each bucket, and answers them as they are then, in the order of asking; one that
     * nobody has told of is full. No use told is lost, whoever tells at the same time. A key comes once in a call. Not
     * part of any transaction's work: what it counts has happened, however the request ends.
     */
    readonly tell: (
      limit: RateLimit,
      uses: ReadonlyArray<KeyedUses>
    ) => Effect.Effect<ReadonlyArray<Bucket>, StorageError>
    /** Forgets buckets that nobody has told of since `before`, as many as `limit`, and answers how many. */
    readonly sweep: (before: Millis, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@limbeck/core/rate/RateStore") {}
