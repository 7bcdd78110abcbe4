/**
 * What texts were decoded to, as far as there is room: the same text is the same value, so nothing here is ever out of date.
 * What was asked for lately stays:
 *
 *     keep, or found ──▶ young ── full ──▶ old ── young is full again ──▶ gone
 */

/** In characters, of all texts of one generation. */
const generationMax = 512 * 1024
/** A longer text makes no others go. */
const textMax = 32 * 1024

export class KnownTexts<A> {
  #young = new Map<string, A>()
  #old: ReadonlyMap<string, A> = new Map()
  #length = 0

  find(text: string): A | undefined {
    const young = this.#young.get(text)
    if (young !== undefined) return young
    const old = this.#old.get(text)
    if (old !== undefined) this.keep(text, old)
    return old
  }

  keep(text: string, value: A): void {
    if (text.length > textMax) return
    if (this.#length + text.length > generationMax) {
      this.#old = this.#young
      this.#young = new Map()
      this.#length = 0
    }
    this.#young.set(text, value)
    this.#length += text.length
  }
}
