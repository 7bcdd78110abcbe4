/**
 * The prompts seen by a builder, by 64-bit keys: an open-addressing table of 11 to 22 bytes per prompt, where a Set of
 * texts would need ten times that. Mutable, for a single builder.
 */
const bytesPerKey = 8

export class PromptSet {
  #size = 0
  #hasZero = false
  /** Two words per slot, both 0 if free. At most three of four slots are taken, so that probes stay short. */
  #words = new Uint32Array(2 * 1024)

  get size(): number {
    return this.#size
  }

  add(key: Uint8Array): void {
    const view = new DataView(key.buffer, key.byteOffset, bytesPerKey)
    const [high, low] = [view.getUint32(0), view.getUint32(4)]
    if (high === 0 && low === 0) {
      this.#size += this.#hasZero ? 0 : 1
      this.#hasZero = true
    } else if (this.#place(high, low)) {
      this.#size++
      if (this.#size * 8 > this.#words.length * 3) this.#grow()
    }
  }

  /** Inserts a key; returns whether the key is new. */
  #place(high: number, low: number): boolean {
    const words = this.#words
    const mask = words.length - 2
    let at = ((high ^ Math.imul(low, 0x9e3779b1)) << 1) & mask
    while (words[at] !== 0 || words[at + 1] !== 0) {
      if (words[at] === high && words[at + 1] === low) return false
      at = (at + 2) & mask
    }
    words[at] = high
    words[at + 1] = low
    return true
  }

  #grow(): void {
    const before = this.#words
    this.#words = new Uint32Array(before.length * 2)
    for (let at = 0; at < before.length; at += 2) {
      if (before[at] !== 0 || before[at + 1] !== 0) this.#place(before[at]!, before[at + 1]!)
    }
  }
}
