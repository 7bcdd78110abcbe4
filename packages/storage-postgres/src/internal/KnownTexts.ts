/**
 * What texts were decoded to, as far as there is room: the same text is the same value, so nothing here is ever out of date.
 * What was asked for lately stays:
 *
 *     keep, or found ──▶ young ── full ──▶ old ── young is full again ──▶ gone
 */

interface Bounds {
  /** In characters, of all texts of one generation. */
  readonly generationMax: number
  /** A longer text makes no others go. */
  readonly textMax: number
}

interface Known<A> {
  readonly value: A
  readonly length: number
}

export class KnownTexts<A> {
  readonly #bounds: Bounds
  #young = new Map<string, Known<A>>()
  #old: ReadonlyMap<string, Known<A>> = new Map()
  #length = 0

  constructor(bounds: Bounds = { generationMax: 512 * 1024, textMax: 32 * 1024 }) {
    this.#bounds = bounds
  }

  find(text: string): A | undefined {
    const young = this.#young.get(text)
    if (young !== undefined) return young.value
    const old = this.#old.get(text)
    if (old !== undefined) this.keep(text, old.value, old.length)
    return old?.value
  }

  /** `length`: of the text, or of the texts that it stands for. */
  keep(text: string, value: A, length = text.length): void {
    const { generationMax, textMax } = this.#bounds
    if (length > textMax) return
    if (this.#length + length > generationMax) {
      this.#old = this.#young
      this.#young = new Map()
      this.#length = 0
    }
    this.#young.set(text, { value, length })
    this.#length += length
  }
}
