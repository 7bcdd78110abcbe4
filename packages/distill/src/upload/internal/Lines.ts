/**
 * Splits a byte stream into lines, chunk by chunk. Joins bytes before decoding, so a character may span chunks. Skips a
 * line beyond the bound without holding it.
 */

/** Lines count from 1. `null` bytes: longer than the bound. */
export interface Line {
  readonly number: number
  readonly bytes: Uint8Array | null
}

/** The unfinished line. `held` is null beyond the bound; pieces are added in place. */
export interface State {
  readonly number: number
  readonly held: Array<Uint8Array> | null
  readonly length: number
}

const begin = (number: number): State => ({ number, held: [], length: 0 })

export const start = (): State => begin(1)

const newline = 0x0a

const join = (pieces: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(length)
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
  }
  return whole
}

const hold = (state: State, piece: Uint8Array, maxBytes: number): State => {
  const length = state.length + piece.length
  const held = length > maxBytes ? null : state.held
  held?.push(piece)
  return { number: state.number, held, length }
}

const finished = ({ held, length, number }: State): Line => ({
  number,
  bytes: held === null ? null : join(held, length)
})

/** The lines that end in `chunk`, and the unfinished rest. */
export const push = (state: State, chunk: Uint8Array, maxBytes: number): readonly [State, ReadonlyArray<Line>] => {
  const lines: Array<Line> = []
  let current = state
  let from = 0
  for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
    lines.push(finished(hold(current, chunk.subarray(from, to), maxBytes)))
    current = begin(current.number + 1)
    from = to + 1
  }
  return [from < chunk.length ? hold(current, chunk.subarray(from), maxBytes) : current, lines]
}

/** The last line needs no newline; nothing after the last newline is no line. */
export const end = (state: State): ReadonlyArray<Line> => (state.length === 0 ? [] : [finished(state)])
