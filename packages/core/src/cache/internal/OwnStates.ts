/** The states of a cache's entries, as a snapshot has them. An entry that did not change is not encoded again. */
import type * as Schema from "effect/Schema"
import { Limits } from "../../Limits.ts"
import type { KeyState } from "./SnapshotRules.ts"

/** An entry of the cache, as far as a snapshot needs it. */
export interface Known<A> {
  readonly value: A
  readonly readAt: number
  /** When storage said so, or this process changed it. */
  readonly knownAt: number
}

interface SavedState<A> {
  readonly entry: Known<A>
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
   * The states of the latest entries. The time of an entry whose value is the same is only renewed after `grainMillis`, so that a
   * value that is read every second makes no new snapshot every second. An absent value only counts for keys in `written`: anybody
   * may ask for any key.
   */
  of(
    entries: ReadonlyMap<string, Known<A>>,
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

  #stateOf(key: string, entry: Known<A>, grainMillis: number): SavedState<A> {
    const last = this.#saved.get(key)
    if (last?.entry === entry && entry.knownAt - last.state.knownAt < grainMillis) return last
    const value = this.#encode(entry.value)
    const json = JSON.stringify(value)
    const isSame = last?.json === json && entry.knownAt - last.state.knownAt < grainMillis
    const state = isSame ? last.state : { key: this.#storedKey(key, entry.value), knownAt: entry.knownAt, value }
    return { entry, json, state }
  }
}
