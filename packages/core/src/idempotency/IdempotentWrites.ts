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
import * as Schedule from "effect/Schedule"
import { IdempotencyKeyInFlight, IdempotencyKeyReused, type StorageError } from "../errors/Errors.ts"
import { Limits } from "../Limits.ts"
import type { Partition } from "../partition/Partition.ts"
import { Secrets } from "../secrets/Secrets.ts"
import type { Millis } from "../time/Timestamp.ts"
import { continuationOf, decide, reservation, reservedStatus } from "./Idempotency.ts"
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
  /** The request's fingerprints in earlier servers' forms. Computed only for a record of another form. */
  readonly earlierFingerprints: Effect.Effect<ReadonlyArray<string>>
  /** Whether the answer holds a secret, and so is encrypted at rest. */
  readonly sealed: boolean
}

/** For an operation that begins and ends in transactions of its own. */
export interface Keeper {
  /** What a request under the same key has begun whose process died; null: nothing. */
  readonly continuation: string | null
  /** Runs the transaction that begins the operation; from its commit on, a retry after a crash gets its result as `continuation`. */
  readonly begin: <A, E, R>(
    beginning: Effect.Effect<A, E, R>,
    continuationOf: (begun: A) => string
  ) => Effect.Effect<A, E | StorageError, R>
  /** To be run before the transaction that ends the operation: the reservation is not prolonged any more. */
  readonly ready: Effect.Effect<void>
  /** To be run inside that transaction, where the operation has succeeded. */
  readonly keep: (answer: Answer) => Effect.Effect<void, StorageError>
  /** To be run inside that transaction, where the operation has failed for good: the key is free. */
  readonly free: Effect.Effect<void, StorageError>
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
     * For an operation that waits for the outside and changes nothing that must commit with its response: no transaction is
     * open meanwhile. The key is reserved during the operation; a failure frees it at once, and a process's death within 12
     * seconds.
     */
    readonly runOutside: <E, R>(
      request: IdempotentRequest,
      operation: Effect.Effect<Answer, E, R>
    ) => Effect.Effect<IdempotentAnswer, E | IdempotencyKeyInFlight | IdempotencyKeyReused | StorageError, R>
    /**
     * Like `runOutside`, for an operation that writes, waits for the outside and writes again. The `Keeper` stores the
     * continuation and the response in the same transactions, so that a crash leaves both or neither. The key of an
     * unfinished operation is not freed: the retry resumes it, for as long as a response is kept.
     */
    readonly runKeeping: <E, R>(
      request: IdempotentRequest,
      operation: (keeper: Keeper) => Effect.Effect<Answer, E, R>
    ) => Effect.Effect<IdempotentAnswer, E | IdempotencyKeyInFlight | IdempotencyKeyReused | StorageError, R>
  }
>()("@limbeck/core/idempotency/IdempotentWrites") {}

const isInFlight = (error: unknown): error is IdempotencyKeyInFlight => error instanceof IdempotencyKeyInFlight

export const layer: Layer.Layer<IdempotentWrites, never, IdempotencyStore | Secrets> = Layer.effect(
  IdempotentWrites,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const secrets = yield* Secrets

    /** The stored answer; or else the operation is to run, from its beginning or from a continuation. */
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
          return { answer: undefined, continuation: decision.continuation }
        case "Replay": {
          const { body, sealed, status } = decision.record
          const opened = sealed ? yield* secrets.open(body, partition.key) : body
          return { answer: { status, body: opened, replayed: true }, continuation: null }
        }
      }
    })

    const keptUntil = (now: Millis): Millis => now + Limits.idempotencyHours * 3_600_000

    const record = Effect.fnUntraced(function* (
      { fingerprint, key, partition, sealed }: IdempotentRequest,
      { body, status }: Answer,
      now: Millis
    ) {
      const stored = sealed ? yield* secrets.seal(body, partition.key) : body
      yield* store.record(partition, { key, fingerprint, status, body: stored, sealed, expiresAt: keptUntil(now) })
      return { status, body, replayed: false }
    })

    const execute = Effect.fnUntraced(function* <E, R>(
      request: IdempotentRequest,
      operation: Effect.Effect<Answer, E, R>
    ) {
      const now = yield* Clock.currentTimeMillis
      return (yield* recall(request, now)).answer ?? (yield* record(request, yield* operation, now))
    })

    /** Reserves the key until `until`; a past time frees it, or leaves it to a retry that resumes the continuation. */
    const reserve = (request: IdempotentRequest, continuation: string | null, until: Millis, now: Millis) => {
      const { fingerprint, key, partition } = request
      const reserved = reservation(continuation, until, keptUntil(now))
      return store.record(partition, { key, fingerprint, status: reservedStatus, sealed: false, ...reserved })
    }

    const recallOrReserve = Effect.fnUntraced(function* (request: IdempotentRequest, now: Millis) {
      const recalled = yield* recall(request, now)
      if (recalled.answer === undefined) {
        yield* reserve(request, recalled.continuation, now + Limits.idempotencyReservationMillis, now)
      }
      return recalled
    })

    /** Ends the reservation at `until`, unless another has the key by now: this process may have stood still. */
    const endAt = Effect.fnUntraced(function* (request: IdempotentRequest, until: Millis, now: Millis) {
      const found = Option.getOrUndefined(yield* store.find(request.partition, request.key))
      if (found === undefined || decide(found, [request.fingerprint], now)._tag !== "InFlight") return
      yield* reserve(request, continuationOf(found), until, now)
    })

    const prolong = Effect.fnUntraced(function* (request: IdempotentRequest) {
      const now = yield* Clock.currentTimeMillis
      yield* endAt(request, now + Limits.idempotencyReservationMillis, now)
    })

    /** Never ends. A reservation outlives a few beats that storage refuses. */
    const prolonging = (request: IdempotentRequest) =>
      Effect.sleep(Limits.idempotencyHeartbeatMillis).pipe(
        Effect.andThen(Effect.ignore(store.exclusively(request.partition, request.key, prolong(request)))),
        Effect.forever
      )

    /** The stored response, or the result of `operate` under a reservation; uninterruptible. */
    const reserved = <E, R>(
      request: IdempotentRequest,
      operate: (now: Millis, continuation: string | null) => Effect.Effect<IdempotentAnswer, E, R>
    ) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { answer, continuation } = yield* store.exclusively(
          request.partition,
          request.key,
          recallOrReserve(request, now)
        )
        if (answer !== undefined) return answer
        // Where storage refuses this, the reservation ends by itself.
        return yield* Effect.onError(operate(now, continuation), () => Effect.ignore(endAt(request, now, now)))
      })

    const executeOutside = <E, R>(request: IdempotentRequest, operation: Effect.Effect<Answer, E, R>) =>
      Effect.uninterruptibleMask((restore) =>
        reserved(request, (now) =>
          Effect.flatMap(restore(Effect.raceFirst(operation, Effect.interruptible(prolonging(request)))), (answer) =>
            record(request, answer, now)
          )
        )
      )

    /** Under the key's lock, which the heartbeat and retries hold for moments. */
    const begin =
      (request: IdempotentRequest): Keeper["begin"] =>
      (beginning, continuationOf) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const until = now + Limits.idempotencyReservationMillis
          const begun = Effect.tap(beginning, (result) => reserve(request, continuationOf(result), until, now))
          return yield* store.exclusively(request.partition, request.key, begun)
        }).pipe(
          Effect.retry({ while: isInFlight, schedule: Schedule.spaced(Limits.idempotencyLockMillis) }),
          Effect.catchIf(isInFlight, Effect.die)
        )

    const executeKeeping = <E, R>(
      request: IdempotentRequest,
      operation: (keeper: Keeper) => Effect.Effect<Answer, E, R>
    ) =>
      Effect.uninterruptibleMask((restore) =>
        reserved(
          request,
          Effect.fnUntraced(function* (now, continuation) {
            const prolonger = yield* Effect.forkChild(Effect.interruptible(prolonging(request)))
            const ready = Fiber.interrupt(prolonger)
            const keep = (kept: Answer) => Effect.asVoid(record(request, kept, now))
            const free = reserve(request, null, now, now)
            const keeper: Keeper = { continuation, begin: begin(request), ready, keep, free }
            const answer = yield* Effect.ensuring(restore(operation(keeper)), ready)
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
