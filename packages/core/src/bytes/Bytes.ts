/** Bytes that came in pieces, as one. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A single piece is not copied. */
export const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
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

/** All of them. Fails, and reads no further, once there are more than `max`. */
export const whole = <E, R, E2>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  max: number,
  tooMany: () => E2
): Effect.Effect<Uint8Array, E | E2, R> =>
  Effect.suspend(() => {
    let length = 0
    const bounded = Stream.mapEffect(bytes, (piece) => {
      length += piece.length
      return length > max ? Effect.fail(tooMany()) : Effect.succeed(piece)
    })
    return Effect.map(Stream.runCollect(bounded), joined)
  })
