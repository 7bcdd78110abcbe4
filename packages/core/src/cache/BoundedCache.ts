/**
 * The cache of values that never change: results of pure functions, and final documents. It has two generations and no clock.
 * Values that change have the cache with a bell, `Recent`. Recently used values stay:
 *
 *     keep, or find ──▶ young ── full ──▶ old ── young is full again ──▶ gone
 */

import * as Effect from "effect/Effect"

interface Bounds {
  /** Total length of one generation: characters, bytes or entries. The cache has at most twice as much. */
  readonly generationMax: number
  /** Larger values are not cached, because they would evict many small ones. */
  readonly lengthMax: number
}

interface CacheEntry<A> {
  readonly value: A
  readonly length: number
}

export class BoundedCache<K, A> {
  readonly #bounds: Bounds
  #young = new Map<K, CacheEntry<A>>()
  #old: ReadonlyMap<K, CacheEntry<A>> = new Map()
  #length = 0

  constructor(bounds: Bounds = { generationMax: 512 * 1024, lengthMax: 32 * 1024 }) {
    this.#bounds = bounds
  }

  find(key: K): A | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young.value
    const old = this.#old.get(key)
    if (old !== undefined) this.keep(key, old.value, old.length)
    return old?.value
  }

  /** `length`: what it takes to keep the value and its key. */
  keep(key: K, value: A, length: number): void {
    const { generationMax, lengthMax } = this.#bounds
    if (length > lengthMax) return
    if (this.#length + length > generationMax) {
      this.#old = this.#young
      this.#young = new Map()
      this.#length = 0
    }
    this.#length += length - (this.#young.get(key)?.length ?? 0)
    this.#young.set(key, { value, length })
  }

  /** Returns the cached document, or the result of `lookup`, which stays in the cache if it is final. */
  lookup<E, R>(key: K, isFinal: (value: A) => boolean, lookup: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const cached = this.find(key)
      if (cached !== undefined) return Effect.succeed(cached)
      return Effect.tap(lookup, (value) => Effect.sync(() => isFinal(value) && this.keep(key, value, 1)))
    })
  }
}

/** Bounds of a cache of so many entries, whatever their length. */
export const entries = (max: number): Bounds => ({ generationMax: Math.ceil(max / 2), lengthMax: 1 })
