/** What idempotency needs from a database. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { IdempotencyKeyInFlight, StorageError } from "../errors/Errors.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Millis } from "../time/Timestamp.ts"
import type { IdempotencyRecord } from "./Idempotency.ts"

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /**
     * Runs `use` in a transaction that alone holds the partition's key; fails at once with `IdempotencyKeyInFlight` while
     * another holds it. `find` inside `use` sees the previous holder's commit. The death of a process frees its keys.
     */
    readonly exclusively: <A, E, R>(
      partition: Partition,
      key: string,
      use: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | IdempotencyKeyInFlight | StorageError, R>
    readonly find: (partition: Partition, key: string) => Effect.Effect<Option.Option<IdempotencyRecord>, StorageError>
    /** Stores the answer in the surrounding transaction, over an older one of the key. */
    readonly record: (partition: Partition, record: IdempotencyRecord) => Effect.Effect<void, StorageError>
    /** Removes up to `limit` records of any partition that expired before `now`; answers how many. */
    readonly sweep: (now: Millis, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@limbeck/core/idempotency/IdempotencyStore") {}
