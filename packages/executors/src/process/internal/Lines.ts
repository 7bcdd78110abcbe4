/**
 * The lines of a growing file, each with its end offset: a reader that resumes at an offset skips no line and reads
 * none twice. A line above the bound loses its end, including the word at the cut.
 */

export interface Line {
  readonly text: string
  /** The offset of the next byte after the line. */
  readonly end: number
  readonly isCut: boolean
}

const newline = 0x0a

/** Half a word may be half a credential, which nobody would recognise. */
const withoutLastWord = (text: string): string => {
  let end = text.length
  while (end > 0 && !/\s/.test(text[end - 1] ?? "")) end--
  return text.slice(0, end)
}

export interface LineReader {
  /** Returns the lines that end in `chunk`, the next chunk of the file. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Line>
  /** Returns the unfinished line at the end of the file. */
  readonly rest: () => ReadonlyArray<Line>
}

export const make = (offset: number, bytesMax: number): LineReader => {
  const decoder = new TextDecoder()
  let begin = offset
  let held: Array<Uint8Array> = []
  let kept = 0
  let length = 0

  const hold = (piece: Uint8Array) => {
    length += piece.length
    if (kept >= bytesMax || piece.length === 0) return
    // The caller may use the chunk's memory again.
    const part = piece.slice(0, bytesMax - kept)
    held.push(part)
    kept += part.length
  }

  const finish = (terminator: number): Line => {
    const whole = decoder.decode(Buffer.concat(held))
    const isCut = length > bytesMax
    begin += length + terminator
    held = []
    kept = 0
    length = 0
    return { text: isCut ? withoutLastWord(whole) : whole, end: begin, isCut }
  }

  return {
    push: (chunk) => {
      const lines: Array<Line> = []
      let from = 0
      for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
        hold(chunk.subarray(from, to))
        lines.push(finish(1))
        from = to + 1
      }
      hold(chunk.subarray(from))
      return lines
    },
    rest: () => (length === 0 ? [] : [finish(0)])
  }
}
