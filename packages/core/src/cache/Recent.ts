/**
 * A cache of storage reads for hot paths, valid for one second. A writer rings a bell that invalidates the cache in every
 * process; the second bounds the staleness after a lost bell. During a storage outage, expired values are returned even after a
 * bell; changes by this process are applied at once.
 *
 * ```
 *   get            a second, or a bell            get
 *  ─────▶ fresh ────────────────────────▶ stale ─────▶ asks storage ──▶ fresh, or refused and gone
 *                                                         │ storage fails
 *                                                         └────────────▶ stands in for a second
 * ```
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../errors/Errors.ts"
import { Limits } from "../Limits.ts"
import { Queue } from "../queue/Queue.ts"
import * as RecentSnapshot from "./internal/RecentSnapshot.ts"

export interface Recent<A> {
  /**
   * Returns the result of `lookup` from the last second, or a new one. While storage fails or takes longer than a
   * second, returns a result up to `Limits.recentStaleMillis` old. Failures of `lookup` itself are not cached.
   */
  readonly get: <E, R>(
    key: string,
    lookup: Effect.Effect<A, E | StorageError, R>
  ) => Effect.Effect<A, E | StorageError, R>
  /** What `get` would say at once, without a look-up; undefined: it would ask. */
  readonly fresh: (key: string, now: number) => A | undefined
  /** After a change by this process: replaces every cached value by `change`, or removes it for undefined. */
  readonly revise: (change: (known: A, key: string) => A | undefined) => void
}

interface Entry<A> {
  readonly value: A
  readonly readAt: number
  /** When storage returned the value, or this process changed it. */
  readonly knownAt: number
  /** When somebody last set out to ask again. */
  askedAt: number
  /**
   * The `age` at which the cached value became stale; callers after it wait for storage and never take an older value.
   */
  readAtAge: number
}

const isStorageError = (error: unknown): error is StorageError =>
  (error as { readonly _tag?: unknown } | null)?._tag === "StorageError"

/** Uses the cached value if storage does not respond. */
const orKnown = <A, E, R>(reading: Effect.Effect<Entry<A>, E | StorageError, R>, known: Entry<A>) =>
  Effect.catchIf(reading, isStorageError, () => Effect.succeed(known)).pipe(
    Effect.timeoutOrElse({ duration: Limits.recentMillis, orElse: () => Effect.succeed(known) })
  )

/**
 * `topic`: the bell (`Queue.nudge`) of changes. With `kept`, values cached before a restart replace a storage that fails
 * after it, within the same hour.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps that share the entries
export const make = Effect.fnUntraced(function* <A>(
  topic: string,
  kept?: RecentSnapshot.SnapshotOptions<A>
): Effect.fn.Return<Recent<A>, never, Queue | Scope.Scope> {
  const queue = yield* Queue
  const clock = yield* Clock.Clock
  const entries = new Map<string, Entry<A>>()
  const snapshot = kept === undefined ? null : yield* RecentSnapshot.make(kept, entries)
  /** Counts the bells: values read before the last bell are stale. */
  let age = 0
  /** Counts the revisions: a look-up from before the last revision may return an older value. */
  let revision = 0

  /** Evicts the entry with the oldest read, one per insertion. */
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
    // Concurrent callers share the cached value until it is invalidated.
    if (mayStand) known.askedAt = now
    const reading = Effect.map(
      lookup,
      (value): Entry<A> => ({ value, readAt: now, knownAt: now, askedAt: now, readAtAge: asked.age })
    )
    const asking = mayStand ? orKnown(reading, known) : reading
    const entry = yield* Effect.tapError(asking, (error) =>
      // A storage failure carries no information about the value.
      Effect.sync(() => {
        if (isStorageError(error)) return
        const removed = entries.get(key)
        entries.delete(key)
        if (removed !== undefined) snapshot?.noteRemoval(key, removed.value)
      })
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

  /** Uses a value from before the restart, which is never fresh. */
  const askFirst = <E, R>(key: string, now: number, lookup: Effect.Effect<A, E | StorageError, R>) => {
    if (snapshot === null || !snapshot.hasMore()) return ask(key, undefined, now, lookup)
    return Effect.flatMap(snapshot.take(key), (restored) => {
      const known = entries.get(key)
      if (restored === undefined || known !== undefined) return ask(key, known, now, lookup)
      const entry = { ...restored, askedAt: restored.readAt, readAtAge: -1 }
      keep(key, entry)
      return ask(key, entry, now, lookup)
    })
  }

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
        if (known === undefined) return askFirst(key, now, lookup)
        return isFresh(known, now) ? Effect.succeed(known.value) : ask(key, known, now, lookup)
      }),
    revise: (change) => {
      revision++
      for (const [key, entry] of entries) {
        const value = change(entry.value, key)
        if (value === undefined) {
          entries.delete(key)
          snapshot?.noteRemoval(key, entry.value)
        } else if (value !== entry.value) {
          entries.set(key, { ...entry, value, knownAt: clock.currentTimeMillisUnsafe() })
        }
      }
      snapshot?.revise(change)
    }
  }
})
