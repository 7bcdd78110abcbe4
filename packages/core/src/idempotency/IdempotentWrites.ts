/**
 * One logical write per key. The key's lock, the look-up, the operation, its events and the stored answer share one
 * transaction, so a crash anywhere leaves everything or nothing, and there is nothing to reap.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type IdempotencyKeyInFlight, IdempotencyKeyReused, type StorageError } from "../errors/Errors.ts"
import { Limits } from "../Limits.ts"
import type { Partition } from "../partition/Partition.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { decide } from "./Idempotency.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface IdempotentAnswer extends Answer {
  /** True when the operation did not run again. */
  readonly replayed: boolean
}

export interface IdempotentRequest {
  readonly partition: Partition
  readonly key: string
  readonly fingerprint: string
  /** Whether the answer holds a secret, and so is encrypted at rest. */
  readonly sealed: boolean
}

export class IdempotentWrites extends Context.Service<
  IdempotentWrites,
  {
    /** Only a success is stored; a failed operation rolls back and frees its key. */
    readonly run: <E, R>(
      request: IdempotentRequest,
      operation: Effect.Effect<Answer, E, R>
    ) => Effect.Effect<IdempotentAnswer, E | IdempotencyKeyInFlight | IdempotencyKeyReused | StorageError, R>
  }
>()("@limbeck/core/idempotency/IdempotentWrites") {}

export const layer: Layer.Layer<IdempotentWrites, never, IdempotencyStore | Secrets> = Layer.effect(
  IdempotentWrites,
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const secrets = yield* Secrets

    const execute = Effect.fnUntraced(function* <E, R>(
      { fingerprint, key, partition, sealed }: IdempotentRequest,
      operation: Effect.Effect<Answer, E, R>
    ) {
      const now = yield* Clock.currentTimeMillis
      const found = Option.getOrUndefined(yield* store.find(partition, key))
      const decision = decide(found, fingerprint, now)
      if (decision._tag === "Reused") return yield* new IdempotencyKeyReused({})
      if (decision._tag === "Replay") {
        const { body, sealed, status } = decision.record
        return { status, body: sealed ? yield* secrets.open(body, partition.key) : body, replayed: true }
      }
      const { body, status } = yield* operation
      const stored = sealed ? yield* secrets.seal(body, partition.key) : body
      const expiresAt = now + Limits.idempotencyHours * 3_600_000
      yield* store.record(partition, { key, fingerprint, status, body: stored, sealed, expiresAt })
      return { status, body, replayed: false }
    })

    return IdempotentWrites.of({
      run: (request, operation) => store.exclusively(request.partition, request.key, execute(request, operation))
    })
  })
)
