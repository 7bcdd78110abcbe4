/**
 * A bounded cache of pure functions of a key, in two generations. Values never expire, because a key always gives the same value.
 * Recently used values stay:
 *
 *     keep, or found ──▶ young ── full ──▶ old ── young is full again ──▶ gone
 */

interface Bounds {
  /** Total length of one generation: characters or bytes. */
  readonly generationMax: number
  /** Larger values are not cached, so that they evict no others. */
  readonly lengthMax: number
}

interface Kept<A> {
  readonly value: A
  readonly length: number
}

export class Known<K, A> {
  readonly #bounds: Bounds
  #young = new Map<K, Kept<A>>()
  #old: ReadonlyMap<K, Kept<A>> = new Map()
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
}
