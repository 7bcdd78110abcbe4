/** The states of a cache's entries, for a snapshot. Unchanged entries are not encoded again. */
import type * as Schema from "effect/Schema"
import { Limits } from "../../Limits.ts"
import type { KeyState } from "./SnapshotRules.ts"

/** The part of a cache entry that a snapshot needs. */
export interface CachedState<A> {
  readonly value: A
  readonly readAt: number
  /** When storage returned the value, or this process changed it. */
  readonly knownAt: number
}

interface SavedState<A> {
  readonly entry: CachedState<A>
  readonly json: string
  readonly state: KeyState
}

export class OwnStates<A> {
  readonly #encode: (value: A) => Schema.Json
  readonly #storedKey: (key: string, value: A) => string
  #saved = new Map<string, SavedState<A>>()

  constructor(encode: (value: A) => Schema.Json, storedKey: (key: string, value: A) => string) {
    this.#encode = encode
    this.#storedKey = storedKey
  }

  /**
   * The states of the latest entries. An unchanged value's time is renewed only after `grainMillis`, so that a value read
   * every second causes no snapshot every second. An absent value counts only for keys in `written`: callers may request
   * any key.
   */
  of(
    entries: ReadonlyMap<string, CachedState<A>>,
    grainMillis: number,
    written: ReadonlySet<string>
  ): ReadonlyArray<KeyState> {
    const next = new Map<string, SavedState<A>>()
    let skipped = entries.size - Limits.snapshotMax
    for (const [key, entry] of entries) {
      if (skipped-- > 0) continue
      const saved = this.#stateOf(key, entry, grainMillis)
      if (saved.state.value !== null || written.has(saved.state.key)) next.set(key, saved)
    }
    this.#saved = next
    return [...next.values()].map(({ state }) => state)
  }

  #stateOf(key: string, entry: CachedState<A>, grainMillis: number): SavedState<A> {
    const last = this.#saved.get(key)
    if (last?.entry === entry && entry.knownAt - last.state.knownAt < grainMillis) return last
    const value = this.#encode(entry.value)
    const json = JSON.stringify(value)
    const isSame = last?.json === json && entry.knownAt - last.state.knownAt < grainMillis
    const state = isSame ? last.state : { key: this.#storedKey(key, entry.value), knownAt: entry.knownAt, value }
    return { entry, json, state }
  }
}
