/** Cuts incoming chunks of any size into pieces of one size. Copies the bytes: a sender may reuse its buffer. */
export class Cutter {
  readonly #size: number
  #open: Uint8Array
  #filled = 0
  /** All that came. */
  bytes = 0

  constructor(size: number) {
    this.#size = size
    this.#open = new Uint8Array(size)
  }

  /** Returns the pieces that are full now. */
  add(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    const pieces: Array<Uint8Array> = []
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + this.#size - this.#filled)
      this.#open.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#size) pieces.push(...this.rest())
    }
    this.bytes += chunk.length
    return pieces
  }

  /** The piece that is not full, once. */
  rest(): ReadonlyArray<Uint8Array> {
    if (this.#filled === 0) return []
    const piece = this.#open.subarray(0, this.#filled)
    this.#open = new Uint8Array(this.#size)
    this.#filled = 0
    return [piece]
  }
}
