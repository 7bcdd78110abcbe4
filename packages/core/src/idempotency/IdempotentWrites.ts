/**
 * One logical write per key. The key's lock, the look-up, the operation, its events and the stored answer share one
 * transaction, so a crash anywhere leaves everything or nothing, and there is nothing to reap. Only what must wait for the
 * outside runs beside it, under a reservation that ends by itself soon after its process did.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { IdempotencyKeyInFlight, IdempotencyKeyReused, type StorageError } from "../errors/Errors.ts"
import { Limits } from "../Limits.ts"
import type { Partition } from "../partition/Partition.ts"
import { Secrets } from "../secrets/Secrets.ts"
import type { Millis } from "../time/Timestamp.ts"
import { decide, reservedStatus } from "./Idempotency.ts"
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
  /** The fingerprints of the same request in forms that servers before this one stored. Computed only for a record of another form. */
  readonly earlierFingerprints: Effect.Effect<ReadonlyArray<string>>
  /** Whether the answer holds a secret, and so is encrypted at rest. */
  readonly sealed: boolean
}

/** For an operation that ends in a transaction of its own, with which its answer is to be stored. */
export interface Keeper {
  /** To be run before that transaction begins: the reservation is not prolonged any more. */
  readonly ready: Effect.Effect<void>
  /** To be run inside that transaction. */
  readonly keep: (answer: Answer) => Effect.Effect<void, StorageError>
}

export class IdempotentWrites extends Context.Service<
  IdempotentWrites,
  {
    /** Only a success is stored; a failed operation rolls back and frees its key. */
    readonly run: <E, R>(
      request: IdempotentRequest,
      operation: Effect.Effect<Answer, E, R>
    ) => Effect.Effect<IdempotentAnswer, E | IdempotencyKeyInFlight | IdempotencyKeyReused | StorageError, R>
    /**
     * For an operation that waits for the outside and changes nothing that must commit with its answer: no transaction is
     * open meanwhile. The key is reserved for as long as it takes; a failure frees it at once, and a process that dies frees
     * it within 12 seconds.
     */
    readonly runOutside: <E, R>(
      request: IdempotentRequest,
      operation: Effect.Effect<Answer, E, R>
    ) => Effect.Effect<IdempotentAnswer, E | IdempotencyKeyInFlight | IdempotencyKeyReused | StorageError, R>
    /**
     * As `runOutside`, for an operation that waits for the outside and then writes: its answer is stored by the `Keeper`, in the
     * transaction of what it writes, so that a crash leaves both or neither.
     */
    readonly runKeeping: <E, R>(
      request: IdempotentRequest,
      operation: (keeper: Keeper) => Effect.Effect<Answer, E, R>
    ) => Effect.Effect<IdempotentAnswer, E | IdempotencyKeyInFlight | IdempotencyKeyReused | StorageError, R>
  }
>()("@limbeck/core/idempotency/IdempotentWrites") {}

export const layer: Layer.Layer<IdempotentWrites, never, IdempotencyStore | Secrets> = Layer.effect(
  IdempotentWrites,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const secrets = yield* Secrets

    /** The stored answer; undefined when there is none and the operation is to run. */
    const recall = Effect.fnUntraced(function* (request: IdempotentRequest, now: Millis) {
      const { fingerprint, key, partition } = request
      const found = Option.getOrUndefined(yield* store.find(partition, key))
      const current = decide(found, [fingerprint], now)
      const decision = current._tag === "Reused" ? decide(found, yield* request.earlierFingerprints, now) : current
      switch (decision._tag) {
        case "Reused":
          return yield* new IdempotencyKeyReused({})
        case "InFlight":
          return yield* new IdempotencyKeyInFlight({})
        case "Proceed":
          return undefined
        case "Replay": {
          const { body, sealed, status } = decision.record
          return { status, body: sealed ? yield* secrets.open(body, partition.key) : body, replayed: true }
        }
      }
    })

    const record = Effect.fnUntraced(function* (
      { fingerprint, key, partition, sealed }: IdempotentRequest,
      { body, status }: Answer,
      now: Millis
    ) {
      const stored = sealed ? yield* secrets.seal(body, partition.key) : body
      const expiresAt = now + Limits.idempotencyHours * 3_600_000
      yield* store.record(partition, { key, fingerprint, status, body: stored, sealed, expiresAt })
      return { status, body, replayed: false }
    })

    const execute = Effect.fnUntraced(function* <E, R>(
      request: IdempotentRequest,
      operation: Effect.Effect<Answer, E, R>
    ) {
      const now = yield* Clock.currentTimeMillis
      return (yield* recall(request, now)) ?? (yield* record(request, yield* operation, now))
    })

    /** Until `expiresAt` the key is ours; what is past frees it. */
    const reserve = ({ fingerprint, key, partition }: IdempotentRequest, expiresAt: Millis) =>
      store.record(partition, { key, fingerprint, status: reservedStatus, body: "", sealed: false, expiresAt })

    const recallOrReserve = Effect.fnUntraced(function* (request: IdempotentRequest, now: Millis) {
      const recalled = yield* recall(request, now)
      if (recalled === undefined) yield* reserve(request, now + Limits.idempotencyReservationMillis)
      return recalled
    })

    /** Prolongs the reservation, unless another has the key by now: this process may have stood still. */
    const prolong = Effect.fnUntraced(function* (request: IdempotentRequest) {
      const now = yield* Clock.currentTimeMillis
      const found = Option.getOrUndefined(yield* store.find(request.partition, request.key))
      if (found === undefined || decide(found, [request.fingerprint], now)._tag !== "InFlight") return
      yield* reserve(request, now + Limits.idempotencyReservationMillis)
    })

    /** Never ends. A reservation outlives a few beats that storage refuses. */
    const prolonging = (request: IdempotentRequest) =>
      Effect.sleep(Limits.idempotencyHeartbeatMillis).pipe(
        Effect.andThen(Effect.ignore(store.exclusively(request.partition, request.key, prolong(request)))),
        Effect.forever
      )

    /** Frees the key that is ours, unless its answer was stored; where it cannot be freed, the reservation ends by itself. */
    const free = (request: IdempotentRequest, now: Millis) =>
      Effect.gen(function* () {
        const found = Option.getOrUndefined(yield* store.find(request.partition, request.key))
        if (decide(found, [request.fingerprint], now)._tag === "InFlight") yield* reserve(request, now)
      })

    /** The answer that was stored under the key, or what `operate` makes of it under a reservation; it is not interrupted. */
    const reserved = <E, R>(
      request: IdempotentRequest,
      operate: (now: Millis) => Effect.Effect<IdempotentAnswer, E, R>
    ) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const recalled = yield* store.exclusively(request.partition, request.key, recallOrReserve(request, now))
        if (recalled !== undefined) return recalled
        return yield* Effect.onError(operate(now), () => Effect.ignore(free(request, now)))
      })

    const executeOutside = <E, R>(request: IdempotentRequest, operation: Effect.Effect<Answer, E, R>) =>
      Effect.uninterruptibleMask((restore) =>
        reserved(request, (now) =>
          Effect.flatMap(restore(Effect.raceFirst(operation, Effect.interruptible(prolonging(request)))), (answer) =>
            record(request, answer, now)
          )
        )
      )

    const executeKeeping = <E, R>(
      request: IdempotentRequest,
      operation: (keeper: Keeper) => Effect.Effect<Answer, E, R>
    ) =>
      Effect.uninterruptibleMask((restore) =>
        reserved(
          request,
          Effect.fnUntraced(function* (now) {
            const prolonger = yield* Effect.forkChild(Effect.interruptible(prolonging(request)))
            const ready = Fiber.interrupt(prolonger)
            const keep = (kept: Answer) => Effect.asVoid(record(request, kept, now))
            const answer = yield* Effect.ensuring(restore(operation({ ready, keep })), ready)
            return { ...answer, replayed: false }
          })
        )
      )

    return IdempotentWrites.of({
      run: (request, operation) => store.exclusively(request.partition, request.key, execute(request, operation)),
      runOutside: executeOutside,
      runKeeping: executeKeeping
    })
  })
)
