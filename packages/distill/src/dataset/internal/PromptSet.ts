/**
 * The prompts seen by a builder, by 64-bit keys, each with 32 bits of its first answer: an open-addressing table of 16 to 32 bytes per
 * prompt, where a Map of texts would need ten times that. Mutable, for a single builder.
 */
const bytesPerKey = 8

export class PromptSet {
  #size = 0
  #hasZero = false
  /** Two words per slot, both 0 if free. At most three of four slots are taken, so that probes stay short. */
  #words = new Uint32Array(2 * 1024)
  /** By slot. */
  #answers = new Uint32Array(1024)

  get size(): number {
    return this.#size
  }

  /** Returns the answer of the first row with this prompt; undefined for a new prompt. */
  add(key: Uint8Array, answer = 0): number | undefined {
    const view = new DataView(key.buffer, key.byteOffset, bytesPerKey)
    const [high, low] = [view.getUint32(0), view.getUint32(4)]
    if (high === 0 && low === 0) {
      this.#size += this.#hasZero ? 0 : 1
      this.#hasZero = true
      return undefined
    }
    const known = this.#place(high, low, answer)
    if (known !== undefined) return known
    this.#size++
    if (this.#size * 8 > this.#words.length * 3) this.#grow()
    return undefined
  }

  /** Inserts a key; returns the answer of an existing key. */
  #place(high: number, low: number, answer: number): number | undefined {
    const words = this.#words
    const mask = words.length - 2
    let at = ((high ^ Math.imul(low, 0x9e3779b1)) << 1) & mask
    while (words[at] !== 0 || words[at + 1] !== 0) {
      if (words[at] === high && words[at + 1] === low) return this.#answers[at / 2]
      at = (at + 2) & mask
    }
    words[at] = high
    words[at + 1] = low
    this.#answers[at / 2] = answer
    return undefined
  }

  #grow(): void {
    const [words, answers] = [this.#words, this.#answers]
    this.#words = new Uint32Array(words.length * 2)
    this.#answers = new Uint32Array(words.length)
    for (let at = 0; at < words.length; at += 2) {
      if (words[at] !== 0 || words[at + 1] !== 0) this.#place(words[at]!, words[at + 1]!, answers[at / 2]!)
    }
  }
}
