/** Joins bytes that arrive in pieces. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A single piece is not copied. */
export const joinPieces = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/**
 * Longer bodies are copied piece by piece on arrival, because one copy of many megabytes would block the event loop.
 */
const copiedAtOnceMax = 1024 ** 2

/** Collects incoming bytes. A body of many megabytes is in memory once, never twice. */
export class Gathering {
  readonly #expected: number
  #pieces: Array<Uint8Array> = []
  /** One array for large bodies. Its unwritten zero pages take no memory. */
  #whole: Uint8Array | null = null
  #length = 0

  /** `expected`: about how many bytes will come; 0 where nobody knows. */
  constructor(expected = 0) {
    this.#expected = expected
  }

  get length(): number {
    return this.#length
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length <= copiedAtOnceMax) this.#pieces.push(piece)
    else this.#withRoom(length).set(piece, this.#length)
    this.#length = length
  }

  /** All that came. Nothing is added after. */
  bytes(): Uint8Array {
    return this.#whole?.subarray(0, this.#length) ?? joinPieces(this.#pieces)
  }

  #withRoom(length: number): Uint8Array {
    const before = this.#whole
    if (before !== null && before.length >= length) return before
    const whole = new Uint8Array(Math.max(length, this.#expected, 2 * (before?.length ?? copiedAtOnceMax)))
    whole.set(before ?? joinPieces(this.#pieces))
    this.#pieces = []
    this.#whole = whole
    return whole
  }
}

/** All of them. Fails, and reads no further, once there are more than `max`. */
export const whole = <E, R, E2>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  max: number,
  tooMany: () => E2
): Effect.Effect<Uint8Array, E | E2, R> =>
  Effect.suspend(() => {
    const gathering = new Gathering()
    const bounded = Stream.runForEachArray(bytes, (pieces) => {
      for (const piece of pieces) {
        gathering.add(piece)
        if (gathering.length > max) return Effect.fail(tooMany())
      }
      return Effect.void
    })
    return Effect.map(bounded, () => gathering.bytes())
  })
