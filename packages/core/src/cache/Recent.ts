/**
 * Answers of storage that a hot path may use for a second: whoever changes what they say rings a bell, which every process
 * hears, and the second is the net for a ring that was lost. Through an outage of storage, old answers stand.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../errors/Errors.ts"
import { Limits } from "../Limits.ts"
import { Queue } from "../queue/Queue.ts"

export interface Recent<A> {
  /**
   * What `lookup` said a second ago at most, or says now. While storage fails, or does not answer for a second: what it said
   * `Limits.recentStaleMillis` ago at most. Its own failures are not remembered.
   */
  readonly get: <E, R>(
    key: string,
    lookup: Effect.Effect<A, E | StorageError, R>
  ) => Effect.Effect<A, E | StorageError, R>
}

interface Entry<A> {
  readonly value: A
  readonly readAt: number
  /** When somebody last set out to ask again. */
  askedAt: number
}

const isStorageError = (error: unknown): error is StorageError =>
  (error as { readonly _tag?: unknown } | null)?._tag === "StorageError"

/** What is known stands in for a storage that does not answer. */
const orKnown = <A, E, R>(reading: Effect.Effect<Entry<A>, E | StorageError, R>, known: Entry<A>) =>
  Effect.catchIf(reading, isStorageError, () => Effect.succeed(known)).pipe(
    Effect.timeoutOrElse({ duration: Limits.recentMillis, orElse: () => Effect.succeed(known) })
  )

/** `topic`: the bell (`Queue.nudge`) that is rung when something changes. */
export const make = Effect.fnUntraced(function* <A>(
  topic: string
): Effect.fn.Return<Recent<A>, never, Queue | Scope.Scope> {
  const queue = yield* Queue
  const entries = new Map<string, Entry<A>>()
  /** Counts the forgettings: what was asked for before the last one is not kept. */
  let age = 0

  const forget = (): void => {
    age++
    entries.clear()
  }

  const ask = Effect.fnUntraced(function* <E, R>(
    key: string,
    known: Entry<A> | undefined,
    now: number,
    lookup: Effect.Effect<A, E | StorageError, R>
  ) {
    const askedAtAge = age
    const mayStand = known !== undefined && now - known.readAt < Limits.recentStaleMillis
    // Whoever asks meanwhile takes what is known.
    if (mayStand) known.askedAt = now
    const reading = Effect.map(lookup, (value): Entry<A> => ({ value, readAt: now, askedAt: now }))
    const asking = mayStand ? orKnown(reading, known) : reading
    const entry = yield* Effect.tapError(asking, () => Effect.sync(() => entries.delete(key)))
    if (askedAtAge === age && entry !== known) {
      if (entries.size >= Limits.recentMax) entries.clear()
      entries.set(key, entry)
    }
    return entry.value
  })

  const bell = yield* queue.doorbell(topic)
  yield* Effect.forkScoped(Effect.forever(Effect.map(bell.await, forget)))

  return {
    get: (key, lookup) =>
      Effect.clockWith((clock) => {
        const now = clock.currentTimeMillisUnsafe()
        const known = entries.get(key)
        return known !== undefined && now - known.askedAt < Limits.recentMillis
          ? Effect.succeed(known.value)
          : ask(key, known, now, lookup)
      })
  }
})
