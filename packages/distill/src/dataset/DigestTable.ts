/**
 * Counts how often each digest was met, in its own bytes and a few more: a Set of texts would need three times that, and
 * ends at 16 million members. An open-addressing table; mutable, and only ever held by one builder.
 */

export class DigestTable {
  #size = 0
  #digests: Uint8Array
  #counts = new Uint32Array(1024)
  #holdout = new Uint8Array(1024)
  /** Index + 1 of a digest; 0: free. Twice as many slots as digests fit, so that probes stay short. */
  #slots = new Uint32Array(2048)
  readonly #digestBytes: number

  constructor(digestBytes: number) {
    this.#digestBytes = digestBytes
    this.#digests = new Uint8Array(1024 * digestBytes)
  }

  get size(): number {
    return this.#size
  }

  /** How often the digest was met before. It is on the side that it was first met on. */
  add(digest: Uint8Array, isHoldout: boolean): number {
    if (this.#size === this.#counts.length) this.#grow()
    const slot = this.#slotOf(digest)
    const index = this.#slots[slot]! - 1
    if (index >= 0) return this.#counts[index]!++
    this.#digests.set(digest, this.#size * this.#digestBytes)
    this.#counts[this.#size] = 1
    this.#holdout[this.#size] = isHoldout ? 1 : 0
    this.#slots[slot] = ++this.#size
    return 0
  }

  /**
   * The digests in ascending order, each with its count, up to `countMax`, and its split: the same bytes, whatever order they
   * came in.
   */
  write(countMax: number): Uint8Array {
    const order = Uint32Array.from({ length: this.#size }, (_, index) => index).sort((a, b) => this.#compare(a, b))
    const digestBytes = this.#digestBytes
    const recordBytes = digestBytes + 5
    const bytes = new Uint8Array(this.#size * recordBytes)
    const view = new DataView(bytes.buffer)
    for (const [place, index] of order.entries()) {
      bytes.set(this.#digestAt(index), place * recordBytes)
      view.setUint32(place * recordBytes + digestBytes, Math.min(countMax, this.#counts[index]!))
      bytes[place * recordBytes + digestBytes + 4] = this.#holdout[index]!
    }
    return bytes
  }

  #digestAt(index: number): Uint8Array {
    return this.#digests.subarray(index * this.#digestBytes, (index + 1) * this.#digestBytes)
  }

  #equals(index: number, digest: Uint8Array): boolean {
    const from = index * this.#digestBytes
    for (let i = 0; i < this.#digestBytes; i++) if (this.#digests[from + i] !== digest[i]) return false
    return true
  }

  #compare(a: number, b: number): number {
    const size = this.#digestBytes
    for (let i = 0; i < size; i++) {
      const difference = this.#digests[a * size + i]! - this.#digests[b * size + i]!
      if (difference !== 0) return difference
    }
    return 0
  }

  /** The slot that holds the digest, or the free one where it belongs. A digest is random already: its head is its hash. */
  #slotOf(digest: Uint8Array): number {
    const mask = this.#slots.length - 1
    const head = new DataView(digest.buffer, digest.byteOffset, 4).getUint32(0)
    let slot = head & mask
    while (this.#slots[slot] !== 0 && !this.#equals(this.#slots[slot]! - 1, digest)) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const digests = new Uint8Array(this.#digests.length * 2)
    digests.set(this.#digests)
    const counts = new Uint32Array(this.#counts.length * 2)
    counts.set(this.#counts)
    const holdout = new Uint8Array(this.#holdout.length * 2)
    holdout.set(this.#holdout)
    this.#digests = digests
    this.#holdout = holdout
    this.#counts = counts
    this.#slots = new Uint32Array(counts.length * 2)
    for (let index = 0; index < this.#size; index++) this.#slots[this.#slotOf(this.#digestAt(index))] = index + 1
  }
}
