/**
 * Answers of storage that a hot path may use for a second: whoever changes what they say rings a bell, which every process
 * hears, and the second is the net for a ring that was lost. Through an outage of storage old answers stand in, whatever rang
 * before; only what this process knows to be changed is revised at once.
 *
 * ```
 *   get            a second, or a bell            get
 *  ─────▶ fresh ────────────────────────▶ stale ─────▶ asks storage ──▶ fresh, or refused and gone
 *                                                         │ storage fails
 *                                                         └────────────▶ stands in for a second
 * ```
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
  /** What `get` would say at once, without a look-up; undefined: it would ask. */
  readonly fresh: (key: string, now: number) => A | undefined
  /** After a change that this process has made: what is known of each key from now on; undefined: nothing. */
  readonly revise: (change: (known: A, key: string) => A | undefined) => void
}

interface Entry<A> {
  readonly value: A
  readonly readAt: number
  /** When somebody last set out to ask again. */
  askedAt: number
  /** The change (`age`) that the answer is behind; those that ask wait for storage, and take nothing that is older. */
  readAtAge: number
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
  /** Counts the bells: what was read before the last one is stale. */
  let age = 0
  /** Counts the revisions: what was asked for before the last one may be older than what it left. */
  let revision = 0

  /** One at a time makes room: the one that was read longest ago. */
  const keep = (key: string, entry: Entry<A>) => {
    entries.delete(key)
    const [oldest] = entries.size >= Limits.recentMax ? entries.keys() : []
    if (oldest !== undefined) entries.delete(oldest)
    entries.set(key, entry)
  }

  const ask = Effect.fnUntraced(function* <E, R>(
    key: string,
    known: Entry<A> | undefined,
    now: number,
    lookup: Effect.Effect<A, E | StorageError, R>
  ) {
    const asked = { age, revision }
    const mayStand = known !== undefined && now - known.readAt < Limits.recentStaleMillis
    // Who asks meanwhile takes what is known, unless a bell has rung.
    if (mayStand) known.askedAt = now
    const reading = Effect.map(
      lookup,
      (value): Entry<A> => ({ value, readAt: now, askedAt: now, readAtAge: asked.age })
    )
    const asking = mayStand ? orKnown(reading, known) : reading
    const entry = yield* Effect.tapError(asking, (error) =>
      // A storage that fails says nothing of what it holds.
      Effect.sync(() => isStorageError(error) || entries.delete(key))
    )
    if (entry === known) {
      // Storage did not answer: for a second nobody asks it again, also after a bell.
      entry.readAtAge = Math.max(entry.readAtAge, asked.age)
      entry.askedAt = Math.max(entry.askedAt, now)
      return entry.value
    }
    const isOlder = (entries.get(key)?.readAtAge ?? 0) > asked.age
    if (asked.revision === revision && !isOlder) keep(key, entry)
    return entry.value
  })

  const bell = yield* queue.doorbell(topic)
  yield* Effect.forkScoped(Effect.forever(Effect.map(bell.await, () => void age++)))

  const isFresh = (known: Entry<A>, now: number) => known.readAtAge === age && now - known.askedAt < Limits.recentMillis

  return {
    fresh: (key, now) => {
      const known = entries.get(key)
      return known !== undefined && isFresh(known, now) ? known.value : undefined
    },
    get: (key, lookup) =>
      Effect.clockWith((clock) => {
        const now = clock.currentTimeMillisUnsafe()
        const known = entries.get(key)
        return known !== undefined && isFresh(known, now) ? Effect.succeed(known.value) : ask(key, known, now, lookup)
      }),
    revise: (change) => {
      revision++
      for (const [key, entry] of entries) {
        const value = change(entry.value, key)
        if (value === undefined) entries.delete(key)
        else if (value !== entry.value) entries.set(key, { ...entry, value })
      }
    }
  }
})
