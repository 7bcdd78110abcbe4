/**
 * How much of a body is stored. Storage may write a text with a NUL as JSON, which takes up to six bytes for each unit. The
 * bound therefore counts the bytes of the longest form, so that every stored text can be read back.
 */
import * as Turns from "@limbeck/core/turns/Turns"
import { CaptureLimits } from "../Limits.ts"

export interface StoredText {
  readonly text: string
  /** Whether the end of the text was dropped. */
  readonly isCut: boolean
}

/** The most bytes that one UTF-16 unit takes, in UTF-8 or as JSON writes it. */
const bytesPerUnitMax = 6

/** UTF-8 bytes of a unit. Half a surrogate pair counts three, as a replacement character has: more than half of the four. */
const plainBytesOf = (unit: number): number => (unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3)

/** The bytes of a unit in a JSON string. */
const escapedBytesOf = (unit: number): number => {
  if (unit < 0x20) return bytesPerUnitMax
  return unit === 0x22 || unit === 0x5c ? 2 : plainBytesOf(unit)
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Units that are counted in one step. */
const pieceUnits = 8 * 1024

/** A running count of bytes over the pieces of a text. */
class ByteCount {
  readonly #bytesMax: number
  #plain = 0
  #escaped = 0
  #hasNul = false

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** How many units of the piece fit behind the pieces before it. */
  fitIn(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at)
      if (unit === 0) this.#hasNul = true
      this.#plain += plainBytesOf(unit)
      this.#escaped += escapedBytesOf(unit)
      if ((this.#hasNul ? this.#escaped : this.#plain) > this.#bytesMax) return at
    }
    return piece.length
  }
}

/**
 * How many units of the text fit. The loop reads a piece and never the whole text: V8 moves pure calls such as `includes` into
 * a loop that it optimizes, and a search of the whole text in each step is quadratic.
 */
function* fitSteps(text: string, bytesMax: number): Turns.Steps<number> {
  const count = new ByteCount(bytesMax)
  for (let from = 0; from < text.length; from += pieceUnits) {
    const piece = text.slice(from, from + pieceUnits)
    const fit = count.fitIn(piece)
    yield piece.length
    if (fit === piece.length) continue
    const end = from + fit
    return end > 0 && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
  }
  return text.length
}

/** The text, or as much of its beginning as may be stored, found in steps that `Turns` spreads over several turns. */
export function* steps(text: string, bytesMax: number = CaptureLimits.storedBodyBytesMax): Turns.Steps<StoredText> {
  if (text.length * bytesPerUnitMax <= bytesMax) return { text, isCut: false }
  const end = yield* fitSteps(text, bytesMax)
  return end === text.length ? { text, isCut: false } : { text: text.slice(0, end), isCut: true }
}

/** As `steps`, without a pause: for a text that is short. */
export const of = (text: string, bytesMax?: number): StoredText => Turns.atOnce(steps(text, bytesMax))
